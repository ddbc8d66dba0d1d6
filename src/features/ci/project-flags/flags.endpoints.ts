/** Feature flags of a project: whom a program shows what, decided here and read by the program. */
import { Type } from 'typebox'
import { invalid } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { Id, nullable, oneOf } from '../../../http/parameters/schema.ts'
import { listFlags, withStrategies } from './flags.queries.ts'
import { changeFlag, createFlag, removeFlag } from './flags.service.ts'
import { flagManaged, flagSeen, flagsManaged, flagsSeen } from './project-flags.access.ts'
import { ProjectFlagResource, presentFlag } from './project-flags.schema.ts'
import { strategyNames } from './strategies.ts'

const flagName = { description: '2 to 63 lowercase letters, digits, `-` and `_`; unique in the project' }
const parameters = Type.Optional(
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: 'Texts: `userIds`; `groupId` and `percentage`; or `groupId`, `rollout` and `stickiness`',
  }),
)
const scope = Type.Optional(Type.String({ description: 'Name of an environment, or a wildcard' }))
const userList = Type.Optional(nullable(Id))

/** The words of the reference for the older kind, which it makes no more. */
function assertVersion(version: string | undefined): void {
  if (version !== undefined && version !== 'new_version_flag') throw invalid('Version is invalid')
}

export const flags = [
  listEndpoint('GET /projects/:id/feature_flags', {
    summary: 'List the feature flags of a project',
    access: flagsSeen,
    query: { scope: Type.Optional(oneOf('enabled', 'disabled')) },
    item: ProjectFlagResource,
    async handle({ app, project, query: { scope }, page }) {
      const { rows, total } = await listFlags(app.db, project.id, scope, page)
      return { rows: (await withStrategies(app.db, rows)).map(presentFlag), total }
    },
  }),
  endpoint('GET /projects/:id/feature_flags/:feature_flag_name', {
    summary: 'Get a feature flag of a project',
    access: flagSeen,
    reply: ProjectFlagResource,
    async handle({ app, flag }) {
      const [whole] = await withStrategies(app.db, [flag])
      return presentFlag(whole ?? { ...flag, strategies: [] })
    },
  }),
  endpoint('POST /projects/:id/feature_flags', {
    summary: 'Create a feature flag of a project',
    access: flagsManaged,
    body: {
      name: Type.String(flagName),
      description: Type.String({ default: '' }),
      version: Type.Optional(Type.String({ description: '`new_version_flag`' })),
      active: Type.Boolean({ default: true }),
      strategies: Type.Array(
        Type.Object({
          name: oneOf(...strategyNames),
          parameters,
          user_list_id: userList,
          scopes: Type.Optional(Type.Array(Type.Object({ environment_scope: scope }))),
        }),
        { default: [] },
      ),
    },
    reply: ProjectFlagResource,
    async handle({ app, project, body: { version, ...input } }) {
      assertVersion(version)
      return presentFlag(await createFlag(app, project.id, input))
    },
  }),
  endpoint('PUT /projects/:id/feature_flags/:feature_flag_name', {
    summary: 'Update a feature flag of a project',
    access: flagManaged,
    body: {
      name: Type.Optional(Type.String(flagName)),
      description: Type.Optional(Type.String()),
      active: Type.Optional(Type.Boolean()),
      strategies: Type.Optional(
        Type.Array(
          Type.Object({
            id: Type.Optional(Id),
            name: Type.Optional(oneOf(...strategyNames)),
            parameters,
            user_list_id: userList,
            scopes: Type.Optional(
              Type.Array(Type.Object({ id: Type.Optional(Id), environment_scope: scope, _destroy: Type.Optional(Type.Boolean()) })),
            ),
            _destroy: Type.Optional(Type.Boolean()),
          }),
          { description: 'With an `id`, one that is there; the others stay as they are' },
        ),
      ),
    },
    reply: ProjectFlagResource,
    handle: async ({ app, flag, body }) => presentFlag(await changeFlag(app, flag, body)),
  }),
  endpoint('DELETE /projects/:id/feature_flags/:feature_flag_name', {
    summary: 'Delete a feature flag of a project',
    access: flagManaged,
    reply: ProjectFlagResource,
    status: 200,
    lastChanged: ({ flag }) => flag.updated_at,
    handle: async ({ app, flag }) => presentFlag(await removeFlag(app, flag)),
  }),
]
