/** Triggers: tokens of a project that start its pipelines from outside. */
import { type Static, Type } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { CiTrigger, Pipeline as PipelineRow, User } from '../../../db/tables.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { machines } from '../../../http/declare/machines.ts'
import { Instant, nameInPath, none, nullable, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { presentUserBrief, usersInBrief } from '../../people/users/users.ts'
import { givenInputs, Pipeline } from '../pipelines/pipelines.schema.ts'
import { presentPipeline } from '../pipelines/pipelines.ts'
import { triggerManaged, triggersManaged } from './triggers.access.ts'
import { deleteTrigger, listTriggers } from './triggers.queries.ts'
import { changeTrigger, createTrigger, runTrigger, shownToken } from './triggers.service.ts'

const Trigger = resource('Trigger', {
  id: Type.Integer(),
  token: Type.String({ description: 'Of triggers of others its first four characters' }),
  description: Type.String(),
  created_at: Instant,
  updated_at: Instant,
  last_used: nullable(Instant),
  expires_at: nullable(Instant),
  owner: nullable(UserBrief),
})

const starts = {
  token: Type.String({ description: 'Of a trigger of the project, or of a running job' }),
  variables: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'Names and values of variables for its jobs' }),
  ),
  inputs: givenInputs,
}

export const triggers = [
  listEndpoint('GET /projects/:id/triggers', {
    summary: 'List the triggers of a project',
    access: triggersManaged,
    item: Trigger,
    async handle({ app, user, project, page }) {
      const { rows, total } = await listTriggers(app.db, project.id, page)
      return { rows: await presentTriggers(app, rows, user), total }
    },
  }),
  endpoint('GET /projects/:id/triggers/:trigger_id', {
    summary: 'Get a trigger of a project',
    access: triggerManaged,
    reply: Trigger,
    handle: ({ app, user, trigger }) => presentTrigger(app, trigger, user),
  }),
  endpoint('POST /projects/:id/triggers', {
    summary: 'Create a trigger of a project',
    access: triggersManaged,
    body: { description: Type.String(), expires_at: Type.Optional(nullable(Instant)) },
    reply: Trigger,
    async handle({ app, user, project, body: { description, expires_at = null } }) {
      return presentTrigger(app, await createTrigger(app, project, user, { description, expires_at }), user)
    },
  }),
  endpoint('PUT /projects/:id/triggers/:trigger_id', {
    summary: 'Update a trigger of a project',
    access: triggerManaged,
    body: { description: Type.Optional(Type.String()) },
    reply: Trigger,
    async handle({ app, user, trigger, body: { description } }) {
      return presentTrigger(app, description === undefined ? trigger : await changeTrigger(app, trigger, { description }), user)
    },
  }),
  endpoint('POST /projects/:id/triggers/:trigger_id/take_ownership', {
    summary: 'Take ownership of a trigger',
    access: triggerManaged,
    reply: Trigger,
    status: 200,
    handle: async ({ app, user, trigger }) => presentTrigger(app, await changeTrigger(app, trigger, { owner_id: user.id }), user),
  }),
  endpoint('DELETE /projects/:id/triggers/:trigger_id', {
    summary: 'Delete a trigger of a project',
    access: triggerManaged,
    reply: none,
    lastChanged: ({ trigger }) => trigger.updated_at,
    async handle({ app, trigger }) {
      await deleteTrigger(app.db, trigger.id)
      return null
    },
  }),
  endpoint('POST /projects/:id/trigger/pipeline', {
    summary: 'Start a pipeline by the token of a trigger',
    access: machines('whoever has the token of a trigger, or of a running job'),
    body: { ...starts, ref: Type.String({ description: 'Branch or tag' }) },
    reply: Pipeline,
    handle: async ({ app, params: { id }, body: { token, ref, variables, inputs } }) =>
      present(app, await runTrigger(app, { id, token, ref, variables, inputs })),
  }),
  endpoint('POST /projects/:id/ref/:ref/trigger/pipeline', {
    summary: 'Start a pipeline of a branch or tag by the token of a trigger',
    access: machines('whoever has the token of a trigger, or of a running job'),
    params: { ref: nameInPath('Branch or tag') },
    body: starts,
    reply: Pipeline,
    handle: async ({ app, params: { id, ref }, body: { token, variables, inputs } }) =>
      present(app, await runTrigger(app, { id, token, ref, variables, inputs })),
  }),
]

function present(
  app: App,
  { project, pipeline, user }: { project: LocatedProject; pipeline: PipelineRow; user: User },
): Static<typeof Pipeline> {
  return presentPipeline(app.config, project, { ...pipeline, user })
}

async function presentTrigger(app: App, row: CiTrigger, viewer: User): Promise<Static<typeof Trigger>> {
  const [presented] = await presentTriggers(app, [row], viewer)
  return presented as Static<typeof Trigger>
}

async function presentTriggers(app: App, rows: CiTrigger[], viewer: User): Promise<Array<Static<typeof Trigger>>> {
  const owners = await usersInBrief(
    app.db,
    rows.flatMap(({ owner_id }) => owner_id ?? []),
  )
  return rows.map((row) => {
    const { id, description, created_at, updated_at, last_used_at, expires_at } = row
    const owner = owners.get(row.owner_id ?? 0)
    return {
      id,
      token: shownToken(app, row, viewer),
      description,
      created_at,
      updated_at,
      last_used: last_used_at,
      expires_at,
      owner: owner ? presentUserBrief(app.config, owner) : null,
    }
  })
}
