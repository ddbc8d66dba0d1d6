/** Noteables: what can be discussed, awarded emoji and put into todos. A later kind is a row here, and its column in the tables. */
import type { LocatedProject } from '../../../access/find.ts'
import type { NotesOf } from '../../../access/notes.ts'
import { readersOfCommits, readersOfIssue, readersOfMergeRequests } from '../../../access/readers.ts'
import type { Db } from '../../../db/database.ts'
import type { Issue, MergeRequest, Snippet } from '../../../db/tables.ts'
import type { Method, Signature } from '../../../http/declare/endpoint.ts'
import { type Access, authenticated, type ProjectGranted, project, type SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { issueInPath } from '../../planning/issues/issues.ts'
import { commit } from '../../repository/revisions.ts'
import { mergeRequestInPath } from '../../review/merge-requests/merge-requests.ts'
import { snippetInPath } from '../../snippets/snippets.ts'

interface InProject {
  project: LocatedProject
  /** Access level of the caller in the project. */
  level: number
}

/** A commit of a project as something that is discussed. It is in git alone: it has no row, no number, and nobody closes or locks it. */
export interface DiscussedCommit {
  id: null
  iid: null
  oid: string
  project_id: number
  author_id: null
  discussion_locked: null
}

/** A snippet of a project as something that is discussed. Nobody closes or locks it, and its id is its number. */
export type DiscussedSnippet = Snippet & { iid: null; project_id: number; discussion_locked: null }

export type NoteableRow =
  | { kind: 'issue'; row: Issue }
  | { kind: 'merge_request'; row: MergeRequest }
  | { kind: 'commit'; row: DiscussedCommit }
  | { kind: 'snippet'; row: DiscussedSnippet }
export type Noteable = NoteableRow & InProject

/** What has a number in its project, labels, assignees, subscribers and a state. */
export type IssuableRow = Exclude<NoteableRow, { kind: 'commit' | 'snippet' }>
export type Issuable = IssuableRow & InProject

/** What has a row of its own, with its votes. */
export type Stored = Exclude<NoteableRow, { kind: 'commit' }> & InProject

interface NoteableKind {
  /** What the API calls it. */
  type: 'Issue' | 'MergeRequest' | 'Commit' | 'Snippet'
  /** As sentences call it, for example after "this". */
  noun: string
  /** The same with its article, for summaries. */
  label: string
  /** For "404 … Not Found". */
  title: string
  /** Null of what has no rows of its own. */
  table: 'issues' | 'merge_requests' | 'snippets' | null
  /** The sign of references to it, between its project and its number or id. */
  sign: '#' | '!' | '@' | '$'
  /** Whether discussions on it can be resolved. */
  resolvable: boolean
  /** Whether it has a diff, on whose lines notes can be. */
  hasDiff: boolean
  /** Whether a single note that is nothing but an emoji awards it instead (spec 4.5). */
  awardsEmojiBodies: boolean
}

type KindsByName = Record<Issuable['kind'], NoteableKind & { type: 'Issue' | 'MergeRequest'; table: string }> &
  Record<'commit', NoteableKind> &
  Record<'snippet', NoteableKind & { table: 'snippets' }>

/** The kinds by what they are called in rows. */
export const kindsByName: KindsByName = {
  issue: {
    type: 'Issue',
    noun: 'issue',
    label: 'an issue',
    title: 'Issue',
    table: 'issues',
    sign: '#',
    resolvable: false,
    hasDiff: false,
    awardsEmojiBodies: false,
  },
  merge_request: {
    type: 'MergeRequest',
    noun: 'merge request',
    label: 'a merge request',
    title: 'Merge Request',
    table: 'merge_requests',
    sign: '!',
    resolvable: true,
    hasDiff: true,
    awardsEmojiBodies: true,
  },
  commit: {
    type: 'Commit',
    noun: 'commit',
    label: 'a commit',
    title: 'Commit',
    table: null,
    sign: '@',
    resolvable: false,
    hasDiff: true,
    awardsEmojiBodies: false,
  },
  snippet: {
    type: 'Snippet',
    noun: 'snippet',
    label: 'a snippet',
    title: 'Snippet',
    table: 'snippets',
    sign: '$',
    resolvable: false,
    hasDiff: false,
    awardsEmojiBodies: true,
  },
}

/** The kinds by their name in paths. */
export const noteableKinds = {
  issues: { path: 'issues/:issue_iid', kind: 'issue', ...kindsByName.issue },
  merge_requests: { path: 'merge_requests/:merge_request_iid', kind: 'merge_request', ...kindsByName.merge_request },
  commits: { path: 'repository/commits/:sha', kind: 'commit', ...kindsByName.commit },
  snippets: { path: 'snippets/:snippet_id', kind: 'snippet', ...kindsByName.snippet },
} as const

export type NoteablePath = keyof typeof noteableKinds
export type IssuablePath = Exclude<NoteablePath, 'commits' | 'snippets'>
export type StoredPath = Exclude<NoteablePath, 'commits'>

/** The older documentation leaves a part out of the paths of commits: what it names is served, too. */
export function aliasOf(kind: NoteablePath, method: Method, below: `/${string}`): { alias?: Signature } {
  return kind === 'commits' ? { alias: `${method} /projects/:id/commits/:sha${below}` } : {}
}

/** What is at such a path. */
export type NoteableAt<P extends NoteablePath> = Extract<Noteable, { kind: (typeof noteableKinds)[P]['kind'] }>

export interface NoteableGranted<P extends NoteablePath = NoteablePath> {
  noteable: NoteableAt<P>
}

/** The columns that name what has rows in notes, award emoji, todos, subscriptions, time logs and events; those of other kinds are null. */
export interface NoteableColumns {
  issue_id: number | null
  merge_request_id: number | null
}

/** A thing by one of these columns. */
export type Target = Partial<NoteableColumns>

export function columnOf({ kind, row }: { kind: Issuable['kind']; row: { id: number } }): NoteableColumns {
  return { issue_id: null, merge_request_id: null, [`${kind}_id` as const]: row.id }
}

/** The column that is set, with its value: for conditions. */
export function keyOf({ issue_id = null, merge_request_id = null }: Target): [keyof NoteableColumns, number] {
  if (issue_id !== null) return ['issue_id', issue_id]
  if (merge_request_id !== null) return ['merge_request_id', merge_request_id]
  throw new Error('names nothing that can be discussed')
}

/** Null where none of the columns is set: as of an award to a note. */
export function targetOf({ issue_id, merge_request_id }: NoteableColumns): NoteableColumns | null {
  return issue_id === null && merge_request_id === null ? null : { issue_id, merge_request_id }
}

/** The kind of thing that the columns name. */
export function kindOf(target: Target): Issuable['kind'] {
  return keyOf(target)[0] === 'issue_id' ? 'issue' : 'merge_request'
}

/** What a note or a todo is on: a row, or a commit of a project. */
export type NoteTarget = StoredTarget | CommitTarget

/** What has a row. */
export type StoredTarget = Target | SnippetTarget

export interface SnippetTarget {
  snippet_id: number
}

export function isSnippetTarget(target: NoteTarget): target is SnippetTarget {
  return ((target as Partial<SnippetTarget>).snippet_id ?? null) !== null
}

/** Where the row of it is. */
export function rowOf(target: StoredTarget): { table: 'issues' | 'merge_requests' | 'snippets'; id: number } {
  if (isSnippetTarget(target)) return { table: 'snippets', id: target.snippet_id }
  return { table: kindOf(target) === 'issue' ? 'issues' : 'merge_requests', id: keyOf(target)[1] }
}

export interface CommitTarget {
  commit_oid: string
  project_id: number
}

/** What names it in notes and todos. */
export function noteTargetOf(noteable: NoteableIdentity): NoteTarget {
  if (noteable.kind === 'commit') return { commit_oid: noteable.row.oid, project_id: noteable.row.project_id }
  return storedTargetOf(noteable)
}

/** As `noteTargetOf`, of what has a row. */
export function storedTargetOf({ kind, row }: { kind: Stored['kind']; row: { id: number } }): StoredTarget {
  return kind === 'snippet' ? { snippet_id: row.id } : columnOf({ kind, row })
}

/** What tells it from all others. */
export type NoteableIdentity =
  | { kind: Stored['kind']; row: { id: number; project_id: number } }
  | { kind: 'commit'; row: Pick<DiscussedCommit, 'oid' | 'project_id'> }

/** What a row of notes or todos is on: a note on a commit of a merge request is on the merge request. Null where it is on nothing. */
export function targetOfNote({
  commit_oid,
  project_id,
  snippet_id = null,
  ...columns
}: NoteableColumns & { snippet_id?: number | null; commit_oid: string | null; project_id: number }): NoteTarget | null {
  if (snippet_id !== null) return { snippet_id }
  return targetOf(columns) ?? (commit_oid === null ? null : { commit_oid, project_id })
}

/** For conditions on notes and todos: `areOn` of access/notes.ts. */
export function noteKeyOf(target: NoteTarget): NotesOf {
  if (isSnippetTarget(target)) return ['snippet_id', target.snippet_id]
  return isCommitTarget(target) ? ['commit_oid', target.commit_oid, target.project_id] : keyOf(target)
}

export function isCommitTarget(target: NoteTarget): target is CommitTarget {
  const { issue_id = null, merge_request_id = null } = target as Target
  return 'commit_oid' in target && !isSnippetTarget(target) && issue_id === null && merge_request_id === null
}

export function discussedCommit(project_id: number, oid: string): DiscussedCommit {
  return { id: null, iid: null, oid, project_id, author_id: null, discussion_locked: null }
}

export function discussedSnippet(snippet: Snippet, project_id: number): DiscussedSnippet {
  return { ...snippet, project_id, iid: null, discussion_locked: null }
}

/** What an event is about. */
export function noteableOfEvent(event: { issue: Issue } | { merge_request: MergeRequest }): IssuableRow {
  return 'issue' in event ? { kind: 'issue', row: event.issue } : { kind: 'merge_request', row: event.merge_request }
}

type At<P extends NoteablePath> = Access<ProjectGranted & SignedIn & NoteableGranted<P>>

const granted: { [P in NoteablePath]: At<P> } = {
  issues: within(
    within(project('signed-in'), issueInPath),
    nested({}, ({ project, level, issue }: ProjectGranted & { issue: Issue }) => ({
      noteable: { kind: 'issue' as const, row: issue, project, level },
    })),
  ),
  merge_requests: within(
    within(project('signed-in'), mergeRequestInPath),
    nested({}, ({ project, level, merge_request }: ProjectGranted & { merge_request: MergeRequest }) => ({
      noteable: { kind: 'merge_request' as const, row: merge_request, project, level },
    })),
  ),
  commits: within(
    within(authenticated(project('code')), commit),
    nested({}, ({ project, level, commit }: ProjectGranted & { commit: string }) => ({
      noteable: { kind: 'commit' as const, row: discussedCommit(project.id, commit), project, level },
    })),
  ),
  snippets: within(
    within(project('signed-in'), snippetInPath),
    nested({}, ({ project, level, snippet }: ProjectGranted & { snippet: Snippet }) => ({
      noteable: { kind: 'snippet' as const, row: discussedSnippet(snippet, project.id), project, level },
    })),
  ),
}

/** The noteable in the path of a project, if the caller can see it, as `noteable`: `noteableIn('issues', 'signed-in')`. */
export function noteableIn<P extends NoteablePath>(path: P, _needed: 'signed-in'): At<P> {
  return granted[path]
}

/** Those of the users who can see it, in the order given: at most three statements for each thousand of them. An internal note on it is seen by reporters alone. */
export function readersOf(
  db: Db,
  noteable: NoteableRow & { project: LocatedProject },
  userIds: number[],
  options: { internal?: boolean } = {},
): Promise<number[]> {
  if (noteable.kind === 'issue') return readersOfIssue(db, noteable.project, noteable.row, userIds, options)
  const readers = noteable.kind === 'commit' ? readersOfCommits : readersOfMergeRequests
  return readers(db, noteable.project, userIds, options)
}
