/** Statuses of commits (spec 4.4). */
import { type Static, Type } from 'typebox'
import type { Config } from '../../../config.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { authenticated, project, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { Off, oneOf } from '../../../http/parameters/schema.ts'
import { pollHeaders } from '../../instance/settings/settings.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import { commit } from '../../repository/revisions.ts'
import { type AuthoredStatus, listStatuses } from './statuses.queries.ts'
import { CommitStatus } from './statuses.schema.ts'
import { postStatus } from './statuses.service.ts'

/** Recommended poll interval for clients that wait for a build. */
const pollInterval_ms = 10_000

const text = (description: string) => Type.Optional(Type.String({ description }))

export const statuses = [
  listEndpoint('GET /projects/:id/repository/commits/:sha/statuses', {
    summary: 'List the statuses of a commit, the latest of each name or all',
    access: within(authenticated(project('code')), commit),
    query: { ref: text('Branch or tag'), stage: text('Stage'), name: text('Name'), all: Off },
    item: CommitStatus,
    async handle({ app, project, commit, query, page }) {
      const { rows, total } = await listStatuses(app.db, project.id, commit, query, page)
      return { rows: rows.map((status) => presentStatus(app.config, status)), total, headers: await pollHeaders(app.db, pollInterval_ms) }
    },
  }),
  endpoint('POST /projects/:id/statuses/:sha', {
    summary: 'Set a status of a commit',
    access: within(unarchived(project('set_commit_status')), commit),
    body: {
      state: oneOf('pending', 'running', 'success', 'failed', 'canceled'),
      ref: text('Branch or tag; by default the first branch that contains the commit'),
      name: text('Name of the check; `default` by default'),
      context: text('Alias of `name`'),
      target_url: text('URL with the details'),
      description: text('Short description'),
      coverage: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: 'Test coverage in percent' })),
    },
    reply: CommitStatus,
    async handle({ app, user, project, commit, body: { context, ...body } }) {
      const name = body.name || context || 'default'
      return presentStatus(app.config, await postStatus(app, project.id, user, commit, { ...body, name }))
    },
  }),
]

function presentStatus(config: Config, { author, ...status }: AuthoredStatus): Static<typeof CommitStatus> {
  const { id, sha, ref, name, target_url, description, created_at, started_at, finished_at, allow_failure, coverage } = status
  return {
    id,
    sha,
    ref,
    status: status.status,
    name,
    target_url,
    description,
    created_at,
    started_at,
    finished_at,
    allow_failure,
    coverage,
    author: author && presentUserBrief(config, author),
  }
}
