/** Statuses of commits (spec 4.4). */
import { type Static, Type } from 'typebox'
import { canDownload } from '../../../access/find.ts'
import type { Config } from '../../../config.ts'
import { forbidden } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { project } from '../../../http/rules.ts'
import { Off, oneOf } from '../../../http/schema.ts'
import { pollHeaders } from '../../instance/settings/settings.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import { requireCommit } from '../revisions.ts'
import { type AuthoredStatus, listStatuses } from './statuses.queries.ts'
import { CommitStatus } from './statuses.schema.ts'
import { postStatus } from './statuses.service.ts'

/** How often clients that wait for a build should poll. */
const pollInterval_ms = 10_000

const text = (description: string) => Type.Optional(Type.String({ description }))

export const statuses = [
  listEndpoint('GET /projects/:id/repository/commits/:sha/statuses', {
    summary: 'List the statuses of a commit: the latest of each name, or all',
    access: project('signed-in'),
    query: { ref: text('Branch or tag'), stage: text('Stage'), name: text('Name'), all: Off },
    item: CommitStatus,
    async handle({ app, user, project, level, repo, params, query, page }) {
      if (!canDownload({ project, level }, user)) throw forbidden()
      const sha = await requireCommit(repo, params.sha)
      const { rows, total } = await listStatuses(app.db, project.id, sha, query, page)
      return { rows: rows.map((status) => presentStatus(app.config, status)), total, headers: await pollHeaders(app.db, pollInterval_ms) }
    },
  }),
  endpoint('POST /projects/:id/statuses/:sha', {
    summary: 'Say of a commit how something went',
    access: project('developer'),
    body: {
      state: oneOf('pending', 'running', 'success', 'failed', 'canceled'),
      ref: text('Branch or tag; the first branch with the commit when absent'),
      name: text('What the status is of; `default` when absent'),
      context: text('As `name`'),
      target_url: text('Where there is more to read'),
      description: text('In a few words'),
      coverage: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: 'Of code by tests, in percent' })),
    },
    reply: CommitStatus,
    async handle({ app, user, project, repo, params, body: { context, ...body } }) {
      if (project.archived) throw forbidden()
      const sha = await requireCommit(repo, params.sha)
      const name = body.name || context || 'default'
      return presentStatus(app.config, await postStatus(app, project.id, user, sha, { ...body, name }))
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
