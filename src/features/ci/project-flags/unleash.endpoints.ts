/** The client API of Unleash, by which programs read the feature flags of a project. What they report about themselves is not kept. */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { resource } from '../../../http/parameters/schema.ts'
import { servedFlags } from './clients.service.ts'
import { flagClients } from './project-flags.access.ts'
import { ServedFlags } from './project-flags.schema.ts'

const Accepted = resource('UnleashAccepted', {})

/** The name of a program is that of its environment, as clients of the reference are set up. */
const named = {
  app_name: Type.Optional(Type.String({ description: 'The environment, where the header `UNLEASH-APPNAME` is not sent' })),
  instance_id: Type.Optional(Type.String({ description: 'Where the header `UNLEASH-INSTANCEID` is not sent' })),
}

const at = 'feature_flags/unleash/:project_id' as const

const reports = (['client/register', 'client/metrics'] as const).map((path) =>
  endpoint(`POST /${at}/${path}`, {
    summary: path === 'client/register' ? 'Register a program that reads feature flags' : 'Report what a program made of feature flags',
    access: flagClients(),
    query: named,
    reply: Accepted,
    status: 200,
    handle: () => ({}),
  }),
)

const reads = (['client/features', 'features'] as const).map((path) =>
  endpoint(`GET /${at}/${path}`, {
    summary:
      path === 'features'
        ? 'Get the feature flags of a project as clients of Unleash 2 do'
        : 'Get the feature flags of a project as clients of Unleash do',
    operationId: path === 'features' ? 'getUnleashFeaturesOfOldClients' : 'getUnleashFeatures',
    access: flagClients(),
    query: named,
    reply: ServedFlags,
    handle: ({ app, project_id, environment, version }) => servedFlags(app.db, project_id, environment, version),
  }),
)

export const unleash = [...reads, ...reports]
