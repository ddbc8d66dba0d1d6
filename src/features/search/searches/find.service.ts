/** Search results by kind, limited to what the viewer can see: rows, which endpoints and pages present. An empty search finds nothing. */
import { canDownload, type LocatedProject } from '../../../access/find.ts'
import { isEnabled } from '../../../access/flags.ts'
import { findWiki, mayReadWiki } from '../../../access/wikis.ts'
import type { App } from '../../../app.ts'
import type { Found, PageOf } from '../../../db/database.ts'
import { spellingsIn } from '../../../db/fold-case.ts'
import { wordsOf } from '../../../db/search.ts'
import type { Issue, MergeRequest, Note, Snippet, User } from '../../../db/tables.ts'
import { badParameter } from '../../../failure.ts'
import { commitsSaying } from '../../../git/history/grep.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommits } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Rows, slice } from '../../../http/reply/page.ts'
import { searchNotes } from '../../discussion/notes/notes.ts'
import { tipOf } from '../../documents/wikis/wikis.ts'
import { listUsers, type UserInBrief } from '../../people/users/users.ts'
import type { ListScope } from '../../planning/issuables/issuables.ts'
import { listIssues } from '../../planning/issues/issues.ts'
import { type PlacedMilestone, searchMilestones } from '../../planning/milestones/milestones.ts'
import { commitOrTip } from '../../repository/revisions.ts'
import { listMergeRequests } from '../../review/merge-requests/merge-requests.ts'
import { listSnippets } from '../../snippets/snippets.ts'
import { listAllMembers } from '../../spaces/members/members.ts'
import { listProjects } from '../../spaces/projects/projects.ts'
import { searchIndex, type Within } from '../code-index/code-index.ts'
import { type CodeHit, type CodeHits, incomplete, searchCode } from '../code-search/code-search.ts'

/** The range of a search: one project, a group with everything below it, or everything. */
export type SearchPlace =
  | { kind: 'project'; project: LocatedProject; level: number; repo: Repo }
  | { kind: 'group'; id: number; parent_id: number | null }
  | { kind: 'all' }

export interface Search {
  text: string
  state?: string | undefined
  confidential?: boolean | undefined
  order_by?: 'created_at' | 'updated_at' | undefined
  sort?: 'asc' | 'desc' | undefined
  /** The branch, tag or commit for files and commits. */
  ref?: string | undefined
  /** Whether the text is a regular expression: of files alone. */
  regex?: boolean | undefined
}

const nothing = { rows: [], total: 0 }

export function isEmpty({ text }: Search): boolean {
  return text.trim() === '' || text.includes('\0')
}

function scopeOf(place: SearchPlace): ListScope {
  if (place.kind === 'project') return { project_id: place.project.id }
  return place.kind === 'group' ? { group_id: place.id } : {}
}

/** The filter of lists of issues and merge requests: by number if the search is one, otherwise by words. */
function filterOf({ text, order_by = 'updated_at', sort = 'desc' }: Search, signs: string) {
  const [, number] = new RegExp(`[${signs}](\\d{1,15})$`).exec(text.trim()) ?? []
  const order = { scope: 'all', order_by, sort } as const
  return number === undefined ? { ...order, search: text } : { ...order, iids: [Number(number)] }
}

export async function findProjects(
  app: App,
  viewer: User | null,
  place: SearchPlace,
  { text }: Search,
  page: PageOf,
): Promise<Found<LocatedProject>> {
  const within = place.kind === 'group' ? { ancestor_id: place.id } : {}
  return listProjects(app.db, viewer, { search: text, order_by: 'last_activity_at', sort: 'desc' }, within, page)
}

export async function findIssues(app: App, viewer: User | null, place: SearchPlace, search: Search, page: PageOf): Promise<Found<Issue>> {
  const { state, confidential } = search
  if (state === 'merged' || state === 'locked') return nothing
  const wanted = state === 'opened' || state === 'closed' ? state : undefined
  return listIssues(app.db, viewer, scopeOf(place), { ...filterOf(search, '#'), state: wanted, confidential }, page)
}

export async function findMergeRequests(
  app: App,
  viewer: User | null,
  place: SearchPlace,
  search: Search,
  page: PageOf,
): Promise<Found<MergeRequest>> {
  const state = search.state === 'all' ? undefined : (search.state as MergeRequest['state'] | undefined)
  return listMergeRequests(app.db, viewer, scopeOf(place), { ...filterOf(search, '#!'), state }, page)
}

export function findMilestones(
  app: App,
  viewer: User | null,
  place: SearchPlace,
  { text }: Search,
  page: PageOf,
): Promise<Found<PlacedMilestone>> {
  return searchMilestones(app.db, viewer, scopeOf(place), wordsOf(text), page)
}

/** Members in a project or group, otherwise all active users. */
export async function findPeopleIn(
  app: App,
  viewer: User | null,
  place: SearchPlace,
  { text }: Search,
  page: PageOf,
): Promise<Found<UserInBrief>> {
  if (place.kind === 'all') {
    const filter = {
      search: text,
      active: true,
      humans: true,
      external: viewer?.admin ? undefined : false,
      order_by: 'relevance',
      sort: 'asc',
    } as const
    return listUsers(app.db, viewer, filter, page)
  }
  const where =
    place.kind === 'project'
      ? { namespace_id: place.project.namespace_id, project_id: place.project.id }
      : { namespace_id: place.id, project_id: null }
  return listAllMembers(app.db, viewer, where, { words: text, actor: viewer }, page)
}

export async function findNotes(app: App, viewer: User | null, place: SearchPlace, { text }: Search, page: PageOf): Promise<Found<Note>> {
  if (place.kind !== 'project') return nothing
  return searchNotes(app.db, viewer, place, wordsOf(text), page)
}

/** Maximum of the total: to find others, users can refine the search. */
const maxCommits = 1_000

/** By message, newest first; a commit whose id begins with the search term comes first. */
export async function findCommits(viewer: User | null, place: SearchPlace, search: Search, page: PageOf): Promise<Rows<Commit>> {
  if (place.kind !== 'project' || !canDownload(place, viewer)) return nothing
  const { project, repo } = place
  const from = await commitOrTip(repo, project, search.ref)
  if (from === null) return nothing
  const text = search.text.trim()
  const named = /^[0-9a-f]{7,64}$/i.test(text) ? await resolveCommit(repo, text) : null
  const saying = await commitsSaying(repo, from, { text, spellings: spellingsIn }, maxCommits)
  const { rows, total } = slice([...new Set([...(named ? [named] : []), ...saying])], page)
  return { rows: await readCommits(repo, rows), total }
}

/**
 * In the files of one project, or by the index in the default branches of all that the viewer may read; a regular expression by the index
 * alone. Throws as `searchCode` and `searchIndex`, and 400 where the index is off.
 */
export async function findCode(app: App, viewer: User | null, place: SearchPlace, search: Search, page: PageOf): Promise<Rows<CodeHit>> {
  if (place.kind === 'project' && !canDownload(place, viewer)) return nothing
  if (place.kind !== 'project' || search.regex) {
    if (!(await isEnabled(app.db, 'code_index', { user: viewer })))
      throw badParameter(search.regex ? 'regex needs the index of code, which is turned off' : 'scope does not have a valid value')
    return searchIndex(app, viewer, indexedPart(place, search), search, page)
  }
  const { project, repo } = place
  const commit = await commitOrTip(repo, project, search.ref)
  if (commit === null) return nothing
  const ref = search.ref || (project.default_branch ?? '')
  return pageOfHits(await searchCode({ repo, project_id: project.id, ref, commit }, search.text), page)
}

/** Throws 400 for a ref: the index has default branches. */
function indexedPart(place: SearchPlace, { ref }: Search): Within {
  if (place.kind === 'all') return 'everything'
  if (place.kind === 'group') return { group_id: place.id }
  if (ref && ref !== place.project.default_branch) throw badParameter('regex, ref are mutually exclusive')
  return { project_id: place.project.id }
}

/** In the pages of the wiki of one project. Throws as `searchCode`. */
export async function findInWiki(
  app: App,
  viewer: User | null,
  place: SearchPlace,
  { text }: Search,
  page: PageOf,
): Promise<Rows<CodeHit>> {
  if (place.kind !== 'project' || !mayReadWiki({ kind: 'project', row: place.project, level: place.level }, viewer)) return nothing
  const wiki = await findWiki(app.db, { kind: 'project', row: place.project })
  const repo = wiki && app.git.openWiki(wiki.id)
  const commit = repo && (await tipOf(repo))
  if (!repo || !commit) return nothing
  return pageOfHits(await searchCode({ repo, project_id: place.project.id, ref: app.config.default_branch, commit }, text), page)
}

function pageOfHits({ hits, isWhole }: CodeHits, page: PageOf): Rows<CodeHit> {
  return { ...slice(hits, page), ...(!isWhole && { headers: incomplete }) }
}

/** Snippets by title and file name, or by the content of a file: of a project, or all that the viewer can see. */
export async function findSnippets(
  app: App,
  viewer: User | null,
  place: SearchPlace,
  { text, by }: Search & { by: 'names' | 'content' },
  page: PageOf,
): Promise<Found<Snippet>> {
  if (place.kind === 'group') return nothing
  const within = place.kind === 'project' ? { project_id: place.project.id } : {}
  return listSnippets(app.db, viewer, { ...within, search: { words: wordsOf(text), by } }, page)
}
