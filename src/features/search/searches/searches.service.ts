/** One page of a search as JSON, by its scope. */
import type { App } from '../../../app.ts'
import type { PageOf } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { Rows } from '../../../http/reply/page.ts'
import type { Note } from '../../discussion/notes/notes.schema.ts'
import type { UserBrief } from '../../people/users/users.schema.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import type { Issue } from '../../planning/issues/issues.schema.ts'
import type { Milestone } from '../../planning/milestones/milestones.schema.ts'
import { presentMilestone } from '../../planning/milestones/milestones.ts'
import type { CommitDetail } from '../../repository/commits/commits.schema.ts'
import type { MergeRequest } from '../../review/merge-requests/merge-requests.schema.ts'
import type { Snippet } from '../../snippets/snippets.schema.ts'
import { presentSnippets } from '../../snippets/snippets.ts'
import type { ProjectAny } from '../../spaces/projects/projects.schema.ts'
import { presentProjects } from '../../spaces/projects/projects.ts'
import type { FoundBlob } from '../code-search/code-search.schema.ts'
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

/** A search in one scope: rows as an endpoint presents them. */
export type Searcher<Item> = (app: App, viewer: User, place: SearchPlace, search: Search, page: PageOf) => Promise<Rows<Item>>

const nothing = { rows: [], total: 0 }

const snippetsBy =
  (by: 'names' | 'content'): Searcher<Presented<typeof Snippet>> =>
  async (app, viewer, place, search, page) => {
    const { rows, total } = await findSnippets(app, viewer, place, { ...search, by }, page)
    return { rows: await presentSnippets(app, rows), total }
  }

const projects: Searcher<Presented<typeof ProjectAny>> = async (app, viewer, place, search, page) => {
  const { rows, total } = await findProjects(app, viewer, place, search, page)
  return { rows: await presentProjects(app, rows, viewer, { simple: true }), total }
}

const issues: Searcher<Presented<typeof Issue>> = async (app, viewer, place, search, page) =>
  foundIssues(app, viewer, place, await findIssues(app, viewer, place, search, page))

const merge_requests: Searcher<Presented<typeof MergeRequest>> = async (app, viewer, place, search, page) =>
  foundMergeRequests(app, place, await findMergeRequests(app, viewer, place, search, page))

const milestones: Searcher<Presented<typeof Milestone>> = async (app, viewer, place, search, page) => {
  const { rows, total } = await findMilestones(app, viewer, place, search, page)
  return { rows: rows.map((row) => presentMilestone(app.config, row)), total }
}

const users: Searcher<Presented<typeof UserBrief>> = async (app, viewer, place, search, page) => {
  const { rows, total } = await findPeopleIn(app, viewer, place, search, page)
  return { rows: rows.map((row) => presentUserBrief(app.config, row)), total }
}

const notes: Searcher<Presented<typeof Note>> = async (app, viewer, place, search, page) =>
  place.kind === 'project' ? foundNotes(app, place, await findNotes(app, viewer, place, search, page)) : nothing

const commits: Searcher<Presented<typeof CommitDetail>> = async (app, viewer, place, search, page) =>
  place.kind === 'project' ? foundCommits(app, place, await findCommits(viewer, place, search, page)) : nothing

const filesBy =
  (find: typeof findCode): Searcher<Presented<typeof FoundBlob>> =>
  async (app, viewer, place, search, page) => {
    const { rows, ...rest } = await find(app, viewer, place, search, page)
    return { rows: rows.map(presentCodeHit), ...rest }
  }

const blobs = filesBy(findCode)

/** The scopes of each place. */
export const searchers = {
  all: {
    projects,
    issues,
    merge_requests,
    milestones,
    snippet_titles: snippetsBy('names'),
    snippet_blobs: snippetsBy('content'),
    users,
    blobs,
  },
  group: { projects, issues, merge_requests, milestones, users, blobs },
  project: { issues, merge_requests, milestones, notes, wiki_blobs: filesBy(findInWiki), commits, blobs, users },
}

/** A fixed number of statements; git processes only for commits and files. */
export async function searchIn<Item>(
  searcher: Searcher<Item>,
  app: App,
  viewer: User,
  place: SearchPlace,
  search: Search,
  page: PageOf,
): Promise<Rows<Item>> {
  return isEmpty(search) ? nothing : searcher(app, viewer, place, search, page)
}
