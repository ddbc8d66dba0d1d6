/** Commits of elsewhere that explain a merge request, newer than release 11.3 (the current public documentation of the API). */
import { Type } from 'typebox'
import { projectUrl } from '../../../addresses/links.ts'
import { readCommits } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { allowed, only, project, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { none } from '../../../http/parameters/schema.ts'
import { Commit } from '../../repository/commits/commits.schema.ts'
import { presentCommit } from '../../repository/commits/commits.ts'
import { mergeRequestInPath } from '../merge-requests/merge-requests.ts'
import { contextOf, removeFromContext } from './context-commits.queries.ts'
import { addContextCommits, maxContext } from './context-commits.service.ts'

const seen = within(project('signed-in'), mergeRequestInPath)
const managed = unarchived(only(seen, allowed('manage_merge_requests')))

const commits = Type.Array(Type.String(), { minItems: 1, maxItems: maxContext, description: 'Ids of commits of the project' })

/** Git may have removed some meanwhile, with the last branch they were on. */
async function commitsOf(repo: Repo, oids: string[], url: string) {
  const there = await Promise.all(oids.map((oid) => resolveCommit(repo, oid)))
  return (
    await readCommits(
      repo,
      there.flatMap((oid) => oid ?? []),
    )
  ).map((commit) => presentCommit(commit, url))
}

export const contextCommits = [
  listEndpoint('GET /projects/:id/merge_requests/:merge_request_iid/context_commits', {
    summary: 'List the commits of elsewhere that explain a merge request',
    access: seen,
    item: Commit,
    async handle({ app, repo, project, merge_request, page }) {
      const { rows, total } = await contextOf(app.db, merge_request.id, page)
      return { rows: await commitsOf(repo, rows, projectUrl(app.config, project)), total }
    },
  }),
  endpoint('POST /projects/:id/merge_requests/:merge_request_iid/context_commits', {
    summary: 'Add commits of elsewhere that explain a merge request',
    access: managed,
    body: { commits },
    reply: Type.Array(Commit),
    async handle({ app, repo, project, merge_request, body }) {
      const oids = await addContextCommits(app, repo, merge_request.id, body.commits)
      return commitsOf(repo, oids, projectUrl(app.config, project))
    },
  }),
  endpoint('DELETE /projects/:id/merge_requests/:merge_request_iid/context_commits', {
    summary: 'Remove commits of elsewhere from a merge request; those that are not there do not matter',
    access: managed,
    body: { commits },
    reply: none,
    async handle({ app, merge_request, body }) {
      await removeFromContext(app.db, merge_request.id, body.commits)
      return null
    },
  }),
]
