/** Push rules of projects, of groups and of the instance (newer than the API of spec 4.3). */
import type { App } from '../../../app.ts'
import { notFound } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { managers, onProjectOrGroup, onProjectsAndGroups, type Place } from '../../../http/declare/places.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { none, nullable } from '../../../http/parameters/schema.ts'
import { presentProjectPushRule, presentPushRule } from './push-rules.present.ts'
import { type PushRulePlace, ruleOf } from './push-rules.queries.ts'
import { ProjectPushRule, PushRule, pushRuleParameters } from './push-rules.schema.ts'
import { changePushRule, createPushRule, removePushRule } from './push-rules.service.ts'

const placeOf = ({ kind, row }: Place): PushRulePlace => (kind === 'project' ? { project_id: row.id } : { group_id: row.id })
const ofInstance = { is_instance: true } as const

async function existing(app: App, place: PushRulePlace) {
  const rule = await ruleOf(app.db, place)
  if (!rule) throw notFound('Push Rule')
  return rule
}

const ofPlaces = onProjectsAndGroups((kind) => {
  const access = onProjectOrGroup(kind, managers)
  const reply = kind === 'project' ? ProjectPushRule : PushRule
  const present = kind === 'project' ? presentProjectPushRule : presentPushRule
  return [
    kind === 'project'
      ? endpoint('GET /projects/:id/push_rule', {
          summary: 'Get the push rules of a project',
          access,
          // Clients of the API expect null where there are none.
          reply: nullable(ProjectPushRule),
          async handle({ app, place }) {
            const rule = await ruleOf(app.db, placeOf(place))
            return rule && presentProjectPushRule(rule)
          },
        })
      : endpoint('GET /groups/:id/push_rule', {
          summary: 'Get the push rules of a group',
          access,
          reply: PushRule,
          handle: async ({ app, place }) => presentPushRule(await existing(app, placeOf(place))),
        }),
    endpoint(`POST /${kind}s/:id/push_rule`, {
      summary: `Create push rules of a ${kind}`,
      access,
      body: pushRuleParameters,
      reply,
      fails: ['unprocessable'],
      handle: async ({ app, place, body }) => present(await createPushRule(app.db, placeOf(place), body)),
    }),
    endpoint(`PUT /${kind}s/:id/push_rule`, {
      summary: `Update the push rules of a ${kind}`,
      access,
      body: pushRuleParameters,
      reply,
      handle: async ({ app, place, body }) => present(await changePushRule(app.db, placeOf(place), body)),
    }),
    endpoint(`DELETE /${kind}s/:id/push_rule`, {
      summary: `Delete the push rules of a ${kind}`,
      access,
      reply: none,
      async handle({ app, place }) {
        await removePushRule(app.db, await existing(app, placeOf(place)))
        return null
      },
    }),
  ]
})

const ofTheInstance = [
  endpoint('GET /admin/push_rule', {
    summary: 'Get the push rules of the instance',
    access: administrator(),
    reply: PushRule,
    handle: async ({ app }) => presentPushRule(await existing(app, ofInstance)),
  }),
  endpoint('POST /admin/push_rule', {
    summary: 'Create push rules of the instance',
    access: administrator(),
    body: pushRuleParameters,
    reply: PushRule,
    fails: ['unprocessable'],
    handle: async ({ app, body }) => presentPushRule(await createPushRule(app.db, ofInstance, body)),
  }),
  endpoint('PUT /admin/push_rule', {
    summary: 'Update the push rules of the instance',
    access: administrator(),
    body: pushRuleParameters,
    reply: PushRule,
    handle: async ({ app, body }) => presentPushRule(await changePushRule(app.db, ofInstance, body)),
  }),
  endpoint('DELETE /admin/push_rule', {
    summary: 'Delete the push rules of the instance',
    access: administrator(),
    reply: none,
    async handle({ app }) {
      await removePushRule(app.db, await existing(app, ofInstance))
      return null
    },
  }),
]

export const pushRules = [...ofPlaces, ...ofTheInstance]
