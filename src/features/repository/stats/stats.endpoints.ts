/** Contributors and languages of a repository (spec 2.8, 4.14). */
import { Type } from 'typebox'
import type { Contributor } from '../../../git/history/contributors.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { slice } from '../../../http/page.ts'
import { project } from '../../../http/rules.ts'
import { oneOfDefault, resource } from '../../../http/schema.ts'
import type { AnyJob } from '../../../queue/queue.ts'
import { countStatsJob } from './stats.jobs.ts'
import { contributorsOf, languagesOf } from './stats.service.ts'

const Contribution = resource('Contributor', {
  name: Type.String(),
  email: Type.String(),
  commits: Type.Integer({ description: 'Merges are not counted' }),
  additions: Type.Integer({ description: 'Lines' }),
  deletions: Type.Integer({ description: 'Lines' }),
})

export const repositoryStats = [
  listEndpoint('GET /projects/:id/repository/contributors', {
    summary: 'List who wrote the commits of the default branch, by e-mail address',
    access: project('code'),
    query: { order_by: oneOfDefault('commits', 'name', 'email'), sort: oneOfDefault('asc', 'desc') },
    item: Contribution,
    fails: { timed_out: 503, unprocessable: 422 },
    async handle({ app, repo, project, query, page }) {
      return slice(sorted(await contributorsOf(app, project, undefined, repo), query.order_by, query.sort), page)
    },
  }),
  endpoint('GET /projects/:id/languages', {
    summary: 'Tell in which languages the files of the default branch are written, in percent of their bytes',
    access: project('visible'),
    reply: Type.Record(Type.String(), Type.Number()),
    fails: { timed_out: 503, unprocessable: 422 },
    handle: ({ app, repo, project }) => languagesOf(app, project, undefined, repo),
  }),
]

/** Whatever the case; equals by e-mail address, so that pages follow each other without a gap. */
function sorted(contributors: Contributor[], order_by: 'commits' | 'name' | 'email', sort: 'asc' | 'desc'): Contributor[] {
  const sign = sort === 'asc' ? 1 : -1
  const keyed = contributors.map((contributor) => {
    const value = contributor[order_by]
    return { contributor, key: typeof value === 'string' ? value.toLowerCase() : value }
  })
  keyed.sort((a, b) => {
    if (a.key !== b.key) return a.key < b.key ? -sign : sign
    return a.contributor.email < b.contributor.email ? -1 : 1
  })
  return keyed.map(({ contributor }) => contributor)
}

export const repositoryStatsJobs: AnyJob[] = [countStatsJob]
