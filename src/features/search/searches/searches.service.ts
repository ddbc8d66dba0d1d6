/** One page of a search as JSON, by its scope. */
import type { App } from '../../../app.ts'
import type { PageOf } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import type { Rows } from '../../../http/page.ts'
import { presentSnippets } from '../../documents/snippets/snippets.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import { presentMilestone } from '../../planning/milestones/milestones.ts'
import { presentProjects } from '../../spaces/projects/projects.ts'
import { presentCodeHit } from '../code-search/code-search.ts'
import {
  findCode,
  findCommits,
  findInWiki,
  findIssues,
  findMergeRequests,
  findMilestones,
  findNotes,
  findPeopleIn,
  findProjects,
  findSnippets,
  isEmpty,
  type Search,
  type SearchPlace,
} from './find.service.ts'
import { foundCommits, foundIssues, foundMergeRequests, foundNotes } from './present.ts'

type Searcher = (app: App, viewer: User, place: SearchPlace, search: Search, page: PageOf) => Promise<Rows<unknown>>

const nothing = { rows: [], total: 0 }

const snippetsBy =
  (by: 'names' | 'content'): Searcher =>
  async (app, viewer, place, search, page) => {
    const { rows, total } = await findSnippets(app, viewer, place, { ...search, by }, page)
    return { rows: await presentSnippets(app, rows), total }
  }

const searchers = {
  projects: async (app, viewer, place, search, page) => {
    const { rows, total } = await findProjects(app, viewer, place, search, page)
    return { rows: await presentProjects(app, rows, viewer, { simple: true }), total }
  },
  issues: async (app, viewer, place, search, page) => foundIssues(app, viewer, place, await findIssues(app, viewer, place, search, page)),
  merge_requests: async (app, viewer, place, search, page) =>
    foundMergeRequests(app, place, await findMergeRequests(app, viewer, place, search, page)),
  milestones: async (app, viewer, place, search, page) => {
    const { rows, total } = await findMilestones(app, viewer, place, search, page)
    return { rows: rows.map((row) => presentMilestone(app.config, row)), total }
  },
  users: async (app, viewer, place, search, page) => {
    const { rows, total } = await findPeopleIn(app, viewer, place, search, page)
    return { rows: rows.map((row) => presentUserBrief(app.config, row)), total }
  },
  notes: async (app, viewer, place, search, page) =>
    place.kind === 'project' ? foundNotes(app, place, await findNotes(app, viewer, place, search, page)) : nothing,
  commits: async (app, viewer, place, search, page) =>
    place.kind === 'project' ? foundCommits(app, place, await findCommits(viewer, place, search, page)) : nothing,
  blobs: async (app, viewer, place, search, page) => {
    const { rows, ...rest } = await findCode(app, viewer, place, search, page)
    return { rows: rows.map(presentCodeHit), ...rest }
  },
  wiki_blobs: async (app, viewer, place, search, page) => {
    const { rows, ...rest } = await findInWiki(app, viewer, place, search, page)
    return { rows: rows.map(presentCodeHit), ...rest }
  },
  snippet_titles: snippetsBy('names'),
  snippet_blobs: snippetsBy('content'),
} satisfies Record<string, Searcher>

export type Scope = keyof typeof searchers

/** Which scopes each place has. */
export const scopes = {
  all: ['projects', 'issues', 'merge_requests', 'milestones', 'snippet_titles', 'snippet_blobs', 'users', 'blobs'],
  group: ['projects', 'issues', 'merge_requests', 'milestones', 'users', 'blobs'],
  project: ['issues', 'merge_requests', 'milestones', 'notes', 'wiki_blobs', 'commits', 'blobs', 'users'],
} as const satisfies Record<SearchPlace['kind'], Scope[]>

/** A fixed number of statements, and of git processes: none but for commits and files. */
export async function searchIn(
  app: App,
  viewer: User,
  place: SearchPlace,
  scope: Scope,
  search: Search,
  page: PageOf,
): Promise<Rows<unknown>> {
  return isEmpty(search) ? nothing : searchers[scope](app, viewer, place, search, page)
}
