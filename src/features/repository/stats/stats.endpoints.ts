/** Contributors and languages of a repository (spec 2.8, 4.14). */
import { Type } from 'typebox'
import type { Contributor } from '../../../git/history/contributors.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { project, using } from '../../../http/declare/rules.ts'
import { oneOfDefault, resource } from '../../../http/parameters/schema.ts'
import { slice } from '../../../http/reply/page.ts'
import type { AnyJob } from '../../../queue/queue.ts'
import { countStatsJob } from './stats.jobs.ts'
import { contributorsOf, languagesOf } from './stats.service.ts'

const Contribution = resource('Contributor', {
  name: Type.String(),
  email: Type.String(),
  commits: Type.Integer({ description: 'Without merge commits' }),
  additions: Type.Integer({ description: 'In lines' }),
  deletions: Type.Integer({ description: 'In lines' }),
})

export const repositoryStats = [
  listEndpoint('GET /projects/:id/repository/contributors', {
    summary: 'List the contributors of a repository',
    access: project('code'),
    query: { order_by: oneOfDefault('commits', 'name', 'email'), sort: oneOfDefault('asc', 'desc') },
    item: Contribution,
    async handle({ app, repo, project, query, page }) {
      return slice(sorted(await contributorsOf(app, project, undefined, repo), query.order_by, query.sort), page)
    },
  }),
  endpoint('GET /projects/:id/languages', {
    summary: 'Get the languages of a project, in percent',
    access: using('repository', project('visible')),
    reply: Type.Record(Type.String(), Type.Number()),
    fails: ['unprocessable'],
    handle: ({ app, repo, project }) => languagesOf(app, project, undefined, repo),
  }),
]

/** Case-insensitive; ties by email address, so that pages have no gaps. */
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
