/** Noteables: what can be discussed, awarded emoji and put into todos. A later kind is a row here, and its column in the tables. */
import type { LocatedProject } from '../../../access/find.ts'
import type { Issue } from '../../../db/tables.ts'
import { type ProjectGranted, project } from '../../../http/rules.ts'
import { nested, within } from '../../../http/within.ts'
import { issueInPath } from '../issues/issues.ts'

export interface Noteable {
  kind: 'issue'
  row: Issue
  project: LocatedProject
  /** Access level of the caller in the project. */
  level: number
}

export interface NoteableGranted {
  noteable: Noteable
}

interface NoteableKind {
  /** What the API calls it. */
  type: 'Issue'
  label: string
  /** Whether discussions on it can be resolved. */
  resolvable: boolean
  /** Whether a single note that is nothing but an emoji awards it instead (spec 4.5). */
  awardsEmojiBodies: boolean
}

const issueKind: NoteableKind = { type: 'Issue', label: 'issue', resolvable: false, awardsEmojiBodies: false }

/** The kinds by their name in paths. */
export const noteableKinds = {
  issues: { path: 'issues/:issue_iid', ...issueKind, inPath: issueInPath },
} as const

/** The kinds by what they are called in rows. */
export const kindsByName: Record<Noteable['kind'], NoteableKind> = { issue: issueKind }

export type NoteablePath = keyof typeof noteableKinds

/** The column that names it in notes, award emoji, todos, subscriptions, time logs and events of changes. */
export function columnOf({ kind, row }: Pick<Noteable, 'kind' | 'row'>): { issue_id: number } {
  return { [`${kind}_id` as const]: row.id } as { issue_id: number }
}

/** The noteable in the path of a project, if the caller can see it, as `noteable`: `noteableIn('issues', 'signed-in')`. */
export function noteableIn(path: NoteablePath, needed: 'signed-in') {
  return within(
    within(project(needed), noteableKinds[path].inPath),
    nested(
      {},
      ({ project, level, issue }: ProjectGranted & { issue: Issue }): NoteableGranted => ({
        noteable: { kind: 'issue', row: issue, project, level },
      }),
    ),
  )
}
