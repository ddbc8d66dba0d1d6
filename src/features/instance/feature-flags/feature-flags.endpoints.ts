/** Feature flags: switches for new or costly behavior, for everyone, for some, or for a percentage. */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { nameInPath, none, oneOf, resource } from '../../../http/parameters/schema.ts'
import { presentFeatures } from './feature-flags.present.ts'
import { featureRows } from './feature-flags.queries.ts'
import { removeFeature, setFeature } from './feature-flags.service.ts'

const Feature = resource('Feature', {
  name: Type.String(),
  state: oneOf('on', 'off', 'conditional'),
  gates: Type.Array(
    resource('FeatureGate', {
      key: Type.String(),
      value: Type.Union([Type.Boolean(), Type.Integer(), Type.Array(Type.String())]),
    }),
  ),
})

const name = nameInPath('Name of the flag')
const several = 'several are separated by commas'

export const features = [
  endpoint('GET /features', {
    summary: 'List the feature flags that were set',
    access: administrator(),
    reply: Type.Array(Feature),
    handle: async ({ app }) => presentFeatures(await featureRows(app.db)),
  }),
  endpoint('POST /features/:name', {
    // python-gitlab 1.7 sets flags at this path.
    alias: 'POST /features//:name',
    summary: 'Set a feature flag',
    access: administrator(),
    params: { name },
    body: {
      value: Type.String({ description: '`true`, `false`, or a percentage' }),
      key: Type.Optional(oneOf('percentage_of_time', 'percentage_of_actors')),
      feature_group: Type.Optional(Type.String({ description: `For a group of users: \`administrators\`` })),
      user: Type.Optional(Type.String({ description: `For a user, by username or id; ${several}` })),
      group: Type.Optional(Type.String({ description: `For a group and all below it, by path or id; ${several}` })),
      project: Type.Optional(Type.String({ description: `For a project, by path or id; ${several}` })),
    },
    reply: Feature,
    async handle({ app, params, body }) {
      const [feature] = presentFeatures(await setFeature(app.db, params.name, body))
      if (!feature) throw new Error('a feature flag that was just set is missing')
      return feature
    },
  }),
  endpoint('DELETE /features/:name', {
    summary: 'Set a feature flag back to its default',
    access: administrator(),
    params: { name },
    reply: none,
    async handle({ app, params }) {
      await removeFeature(app.db, params.name)
      return null
    },
  }),
]
