/** CI variables: those of projects and groups, as one family; and those of the instance. */
import { type Static, type TObject, Type } from 'typebox'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { columnsOf, onProjectsAndGroups } from '../../../http/declare/places.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { nameInPath, none, nullable, oneOf, oneOfDefault } from '../../../http/parameters/schema.ts'
import { variablesManaged } from './variables.access.ts'
import { presentInstanceVariable, presentVariable } from './variables.present.ts'
import { deleteVariable, listVariables } from './variables.queries.ts'
import { InstanceVariable, Variable, variableTypes } from './variables.schema.ts'
import { changeVariable, createVariable, findVariable, type VariableInput } from './variables.service.ts'

const common = {
  protected: Type.Boolean({ description: 'Only for pipelines of protected branches and tags' }),
  masked: Type.Boolean({ description: 'Whether the value is masked in job logs' }),
  raw: Type.Boolean({ description: 'Whether `$` in the value stands for itself' }),
  description: nullable(Type.String()),
}
const optional = {
  protected: Type.Optional(common.protected),
  masked: Type.Optional(common.masked),
  raw: Type.Optional(common.raw),
  description: Type.Optional(common.description),
}
const wanted = {
  ...optional,
  key: Type.String({ description: 'Up to 255 letters, digits and `_`' }),
  value: Type.String({ description: 'Up to 10,000 characters' }),
  variable_type: oneOfDefault(...variableTypes),
}
const changes = { ...optional, value: Type.Optional(wanted.value), variable_type: Type.Optional(oneOf(...variableTypes)) }
const scope = {
  environment_scope: Type.Optional(Type.String({ description: 'Name of an environment, in which `*` stands for any characters' })),
}
const filter = { filter: Type.Optional(Type.Object(scope, { description: 'Which one, where several have this key' })) }
const key = { key: nameInPath('Key of the variable') }

type Sent = Static<TObject<typeof changes & typeof scope>>
type Filtered = Static<TObject<typeof filter>>

const scopeOf = ({ filter }: Filtered) => filter?.environment_scope ?? null

export const variables = [
  ...onProjectsAndGroups((kind) => {
    const access = variablesManaged(kind)
    return [
      listEndpoint(`GET /${kind}s/:id/variables`, {
        summary: `List the CI variables of a ${kind}`,
        access,
        item: Variable,
        async handle({ app, place, page }) {
          const { rows, total } = await listVariables(app.db, columnsOf(place), page)
          return { rows: rows.map((row) => presentVariable(app, row)), total }
        },
      }),
      endpoint(`GET /${kind}s/:id/variables/:key`, {
        summary: `Get a CI variable of a ${kind}`,
        access,
        params: key,
        query: filter,
        fails: ['conflict'],
        reply: Variable,
        handle: async ({ app, place, params, query }) =>
          presentVariable(app, await findVariable(app.db, columnsOf(place), params.key, scopeOf(query))),
      }),
      endpoint(`POST /${kind}s/:id/variables`, {
        summary: `Create a CI variable of a ${kind}`,
        access,
        body: {
          ...wanted,
          ...scope,
          masked_and_hidden: Type.Optional(Type.Boolean({ description: 'Masked, and its value is never shown again' })),
        },
        reply: Variable,
        async handle({ app, place, body }) {
          const { masked_and_hidden: hidden = false, ...sent } = body
          const masked = hidden || sent.masked === true
          return presentVariable(
            app,
            await createVariable(app, columnsOf(place), { ...inputOf({ ...sent, masked }), key: body.key, hidden }),
          )
        },
      }),
      endpoint(`PUT /${kind}s/:id/variables/:key`, {
        summary: `Update a CI variable of a ${kind}`,
        access,
        params: key,
        body: { ...changes, ...scope, ...filter },
        fails: ['conflict'],
        reply: Variable,
        async handle({ app, place, params, body }) {
          const row = await findVariable(app.db, columnsOf(place), params.key, scopeOf(body))
          return presentVariable(app, await changeVariable(app, row, inputOf(body)))
        },
      }),
      endpoint(`DELETE /${kind}s/:id/variables/:key`, {
        summary: `Delete a CI variable of a ${kind}`,
        access,
        params: key,
        query: filter,
        fails: ['conflict'],
        reply: none,
        lastChanged: async ({ app, place, params, query }) =>
          (await findVariable(app.db, columnsOf(place), params.key, scopeOf(query))).updated_at,
        async handle({ app, place, params, query }) {
          await deleteVariable(app.db, (await findVariable(app.db, columnsOf(place), params.key, scopeOf(query))).id)
          return null
        },
      }),
    ]
  }),
  listEndpoint('GET /admin/ci/variables', {
    summary: 'List the CI variables of the instance',
    access: administrator(),
    item: InstanceVariable,
    async handle({ app, page }) {
      const { rows, total } = await listVariables(app.db, 'instance', page)
      return { rows: rows.map((row) => presentInstanceVariable(app, row)), total }
    },
  }),
  endpoint('GET /admin/ci/variables/:key', {
    summary: 'Get a CI variable of the instance',
    access: administrator(),
    params: key,
    reply: InstanceVariable,
    handle: async ({ app, params }) => presentInstanceVariable(app, await findVariable(app.db, 'instance', params.key, null)),
  }),
  endpoint('POST /admin/ci/variables', {
    summary: 'Create a CI variable of the instance',
    access: administrator(),
    body: wanted,
    reply: InstanceVariable,
    handle: async ({ app, body }) =>
      presentInstanceVariable(app, await createVariable(app, 'instance', { ...inputOf(body), key: body.key })),
  }),
  endpoint('PUT /admin/ci/variables/:key', {
    summary: 'Update a CI variable of the instance',
    access: administrator(),
    params: key,
    body: changes,
    reply: InstanceVariable,
    async handle({ app, params, body }) {
      const row = await findVariable(app.db, 'instance', params.key, null)
      return presentInstanceVariable(app, await changeVariable(app, row, inputOf(body)))
    },
  }),
  endpoint('DELETE /admin/ci/variables/:key', {
    summary: 'Delete a CI variable of the instance',
    access: administrator(),
    params: key,
    reply: none,
    lastChanged: async ({ app, params }) => (await findVariable(app.db, 'instance', params.key, null)).updated_at,
    async handle({ app, params }) {
      await deleteVariable(app.db, (await findVariable(app.db, 'instance', params.key, null)).id)
      return null
    },
  }),
]

/** The sent fields, with the names of the columns. */
function inputOf(sent: Sent): VariableInput {
  const input: VariableInput = {}
  if (sent.value !== undefined) input.value = sent.value
  if (sent.variable_type !== undefined) input.kind = sent.variable_type
  if (sent.protected !== undefined) input.protected = sent.protected
  if (sent.masked !== undefined) input.masked = sent.masked
  if (sent.raw !== undefined) input.raw = sent.raw
  if (sent.description !== undefined) input.description = sent.description
  if (sent.environment_scope !== undefined) input.environment_scope = sent.environment_scope
  return input
}
