/** Endpoints for users who manage runners. */
import { Type } from 'typebox'
import { badParameter } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { administrator, signedIn } from '../../../http/declare/rules.ts'
import { Id, none, oneOf } from '../../../http/parameters/schema.ts'
import { JobOfRunner, presentJobsOfRunner } from './jobs.present.ts'
import { jobsOfRunner, runnerJobStatuses } from './jobs.queries.ts'
import { accessLevels, readTags } from './rules.ts'
import { managedRunner, seenRunner } from './runners.access.ts'
import { presentDetails, presentManager, presentRunner } from './runners.present.ts'
import { listRunners, managersOf, type RunnerFilter } from './runners.queries.ts'
import { RegistrationToken, ResetToken, Runner, RunnerDetails, RunnerManager } from './runners.schema.ts'
import { changeRunner, removeRunner, resetRunnerToken } from './runners.service.ts'
import { resetRegistrationToken } from './tokens.service.ts'

const kinds = { instance_type: 'instance', group_type: 'group', project_type: 'project' } as const
const statuses = ['active', 'paused', 'online', 'offline', 'stale', 'never_contacted'] as const

/** Filters of all lists of runners. */
export const runnerFilters = {
  scope: Type.Optional(Type.String({ description: 'Older than `type` and `status`: `active`, `paused`, `online`; `specific`, `shared`' })),
  type: Type.Optional(oneOf('instance_type', 'group_type', 'project_type')),
  status: Type.Optional(oneOf(...statuses)),
  paused: Type.Optional(Type.Boolean()),
  tag_list: Type.Optional(Type.Array(Type.String(), { description: 'Those that have all of these tags', maxItems: 50 })),
  version_prefix: Type.Optional(Type.String({ description: 'The beginning of a version: `15.`' })),
}

interface Sent {
  scope?: string
  type?: keyof typeof kinds
  status?: (typeof statuses)[number]
  paused?: boolean
  tag_list?: string[]
  version_prefix?: string
}

/** @param ofKinds whether the list contains several kinds, to which the scopes `specific` and `shared` apply */
export function filterOf({ scope, type, status, paused, tag_list, version_prefix }: Sent, ofKinds: boolean): RunnerFilter {
  const known = ofKinds ? ['active', 'paused', 'online', 'specific', 'shared'] : ['active', 'paused', 'online']
  if (scope && !known.includes(scope)) throw badParameter('scope does not have a valid value')
  const byScope = scope === 'active' || scope === 'paused' || scope === 'online' ? scope : undefined
  return {
    kind: type ? kinds[type] : scope === 'shared' ? 'instance' : undefined,
    notShared: scope === 'specific',
    status: status ?? byScope,
    paused,
    tag_list: tag_list && readTags(tag_list),
    version_prefix,
  }
}

/** The fields of a runner that can be changed. */
export const runnerFields = {
  description: Type.Optional(Type.String()),
  active: Type.Optional(Type.Boolean({ description: 'Whether it gets jobs' })),
  paused: Type.Optional(Type.Boolean({ description: 'The opposite of `active`' })),
  tag_list: Type.Optional(Type.Array(Type.String(), { description: 'Tags, in a list or separated by commas' })),
  run_untagged: Type.Optional(Type.Boolean({ description: 'Whether it runs jobs without tags' })),
  locked: Type.Optional(Type.Boolean({ description: 'Whether it can be enabled for no other project' })),
  access_level: Type.Optional(oneOf(...accessLevels)),
  maximum_timeout: Type.Optional(Type.Integer({ maximum: 2_147_483_647, description: 'In seconds, of a job; at least 600' })),
  maintenance_note: Type.Optional(Type.String()),
}

export const runners = [
  listEndpoint('GET /runners', {
    summary: 'List the runners that the caller manages',
    access: signedIn(),
    query: runnerFilters,
    item: Runner,
    async handle({ app, user, query, page }) {
      const { rows, total } = await listRunners(app.db, { of: 'user', user }, filterOf(query, false), page)
      return { rows: rows.map(presentRunner), total }
    },
  }),
  listEndpoint('GET /runners/all', {
    summary: 'List all runners',
    access: administrator(),
    query: runnerFilters,
    item: Runner,
    async handle({ app, query, page }) {
      const { rows, total } = await listRunners(app.db, { of: 'instance' }, filterOf(query, true), page)
      return { rows: rows.map(presentRunner), total }
    },
  }),
  endpoint('POST /runners/reset_registration_token', {
    summary: 'Replace the registration token of the instance',
    operationId: 'resetInstanceRegistrationToken',
    access: administrator(),
    reply: RegistrationToken,
    handle: async ({ app }) => ({ token: await resetRegistrationToken(app, { kind: 'instance' }), token_expires_at: null }),
  }),
  endpoint('GET /runners/:id', {
    summary: 'Get a runner',
    access: seenRunner(),
    params: { id: Id },
    reply: RunnerDetails,
    handle: ({ app, user, runner }) => presentDetails(app, runner, user),
  }),
  endpoint('PUT /runners/:id', {
    summary: 'Update a runner',
    access: managedRunner(),
    params: { id: Id },
    body: runnerFields,
    atLeastOne: [
      'description',
      'active',
      'paused',
      'tag_list',
      'run_untagged',
      'locked',
      'access_level',
      'maximum_timeout',
      'maintenance_note',
    ],
    reply: RunnerDetails,
    handle: async ({ app, user, runner, body }) => presentDetails(app, await changeRunner(app, runner, body), user),
  }),
  endpoint('DELETE /runners/:id', {
    summary: 'Delete a runner',
    access: managedRunner(),
    params: { id: Id },
    reply: none,
    lastChanged: ({ runner }) => runner.updated_at,
    async handle({ app, user, runner }) {
      await removeRunner(app, runner, user)
      return null
    },
  }),
  listEndpoint('GET /runners/:id/jobs', {
    summary: 'List the jobs of a runner, of projects that the caller may see',
    access: managedRunner(),
    params: { id: Id },
    query: {
      status: Type.Optional(oneOf(...runnerJobStatuses)),
      order_by: Type.Optional(oneOf('id')),
      sort: Type.Optional(oneOf('desc', 'asc')),
      system_id: Type.Optional(Type.String({ description: 'Those of one machine' })),
    },
    item: JobOfRunner,
    async handle({ app, user, runner, query, page }) {
      const { rows, total } = await jobsOfRunner(app.db, runner.id, user, query, page)
      return { rows: await presentJobsOfRunner(app, rows), total }
    },
  }),
  listEndpoint('GET /runners/:id/managers', {
    summary: 'List the machines of a runner',
    access: seenRunner(),
    params: { id: Id },
    item: RunnerManager,
    async handle({ app, runner, page }) {
      const { rows, total } = await managersOf(app.db, runner.id, page)
      return { rows: rows.map(presentManager), total }
    },
  }),
  endpoint('POST /runners/:id/reset_authentication_token', {
    summary: 'Replace the token of a runner',
    access: managedRunner(),
    params: { id: Id },
    reply: ResetToken,
    handle: async ({ app, runner }) => ({ token: await resetRunnerToken(app, runner), token_expires_at: runner.token_expires_at }),
  }),
]
