/** Noteables: what can be discussed, awarded emoji and put into todos. A later kind is a row here, and its column in the tables. */
import type { LocatedProject } from '../../../access/find.ts'
import type { Issue, MergeRequest } from '../../../db/tables.ts'
import { type Access, type ProjectGranted, project, type SignedIn } from '../../../http/rules.ts'
import { nested, within } from '../../../http/within.ts'
import { mergeRequestInPath } from '../../review/merge-requests/merge-requests.ts'
import { issueInPath } from '../issues/issues.ts'

interface InProject {
  project: LocatedProject
  /** Access level of the caller in the project. */
  level: number
}

export type NoteableRow = { kind: 'issue'; row: Issue } | { kind: 'merge_request'; row: MergeRequest }
export type Noteable = NoteableRow & InProject

interface NoteableKind {
  /** What the API calls it. */
  type: 'Issue' | 'MergeRequest'
  /** As sentences call it, for example after "this". */
  noun: string
  /** The same with its article, for summaries. */
  label: string
  /** For "404 … Not Found". */
  title: string
  table: 'issues' | 'merge_requests'
  /** The sign of references to it. */
  sign: '#' | '!'
  /** Whether discussions on it can be resolved. */
  resolvable: boolean
  /** Whether it has a diff, on whose lines notes can be. */
  hasDiff: boolean
  /** Whether a single note that is nothing but an emoji awards it instead (spec 4.5). */
  awardsEmojiBodies: boolean
}

/** The kinds by what they are called in rows. */
export const kindsByName: Record<Noteable['kind'], NoteableKind> = {
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
}

/** The kinds by their name in paths. */
export const noteableKinds = {
  issues: { path: 'issues/:issue_iid', kind: 'issue', ...kindsByName.issue },
  merge_requests: { path: 'merge_requests/:merge_request_iid', kind: 'merge_request', ...kindsByName.merge_request },
} as const

export type NoteablePath = keyof typeof noteableKinds

/** What is at such a path. */
export type NoteableAt<P extends NoteablePath> = Extract<Noteable, { kind: (typeof noteableKinds)[P]['kind'] }>

export interface NoteableGranted<P extends NoteablePath = NoteablePath> {
  noteable: NoteableAt<P>
}

/** The columns that name it in notes, award emoji, todos, subscriptions, time logs and events of changes; those of other kinds are null. */
export interface NoteableColumns {
  issue_id: number | null
  merge_request_id: number | null
}

/** A thing by one of these columns. */
export type Target = Partial<NoteableColumns>

export function columnOf({ kind, row }: { kind: Noteable['kind']; row: { id: number } }): NoteableColumns {
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
export function kindOf(target: Target): Noteable['kind'] {
  return keyOf(target)[0] === 'issue_id' ? 'issue' : 'merge_request'
}

/** What an event is about. */
export function noteableOfEvent(event: { issue: Issue } | { merge_request: MergeRequest }): NoteableRow {
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
}

/** The noteable in the path of a project, if the caller can see it, as `noteable`: `noteableIn('issues', 'signed-in')`. */
export function noteableIn<P extends NoteablePath>(path: P, _needed: 'signed-in'): At<P> {
  return granted[path]
}
