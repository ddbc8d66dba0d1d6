/** The table of noteable kinds: a new kind needs a line here, besides its column and its row in `db/tables`. */
import type { Db } from '../db/database.ts'
import type {
  IssuableName,
  Issue,
  MergeRequest,
  NoteableColumns,
  NoteableKey,
  NoteableName,
  NoteableRow,
  StoredName,
} from '../db/tables.ts'
import type { Method, Signature } from '../http/declare/endpoint.ts'
import { oneOf } from '../http/parameters/schema.ts'
import type { NoteableKind } from './noteable-kind.ts'
import { issueKind } from './planning/issues/issues.ts'
import { commitKind } from './repository/commits/commits.ts'
import { mergeRequestKind } from './review/merge-requests/merge-requests.ts'
import { snippetKind } from './snippets/snippets.ts'

export type { Issuable, Noteable, NoteableGranted, NoteableKind } from './noteable-kind.ts'

const kinds: { [N in NoteableName]: NoteableKind<N> } = {
  issue: issueKind,
  merge_request: mergeRequestKind,
  commit: commitKind,
  snippet: snippetKind,
}

export const noteableKinds: NoteableKind[] = Object.values(kinds)
export const NoteableType = oneOf(...noteableKinds.map(({ type }) => type))
export const issuableKinds = noteableKinds.filter(isIssuableKind)
export const storedKinds = noteableKinds.filter(isStoredKind)

export function kindOf<N extends NoteableName>({ kind }: { kind: N }): NoteableKind<N> {
  return kinds[kind]
}

function isIssuableKind(kind: NoteableKind): kind is NoteableKind<IssuableName> {
  return kind.isIssuable
}

function isStoredKind(kind: NoteableKind): kind is NoteableKind<StoredName> {
  return kind.table !== null
}

export function isIssuable<T extends { kind: NoteableName }>(noteable: T): noteable is Extract<T, { kind: IssuableName }> {
  return kindOf(noteable).isIssuable
}

export function isStored<T extends { kind: NoteableName }>(noteable: T): noteable is Extract<T, { kind: StoredName }> {
  return kindOf(noteable).table !== null
}

/** The part of a row that is enough to identify it. */
export type NamedNoteable =
  | { [K in StoredName]: { kind: K; row: { id: number; project_id: number } } }[StoredName]
  | { kind: 'commit'; row: { oid: string; project_id: number } }

/** Its key in rows of notes, todos and emoji. */
export function keyOf<N extends StoredName>(noteable: { kind: N; row: { id: number } }): NoteableKey<N>
export function keyOf(noteable: NamedNoteable): NoteableKey
export function keyOf({ kind, row }: { kind: StoredName; row: { id: number } } | Extract<NamedNoteable, { kind: 'commit' }>): NoteableKey {
  return kind === 'commit' ? { kind, oid: row.oid, project_id: row.project_id } : { kind, id: row.id }
}

type StoredColumns = Partial<NoteableColumns>
export type KeyColumns = StoredColumns & { commit_oid?: string | null; project_id?: number }

/**
 * Reads the key of the noteable from a row: a note on a commit of a merge request is on the merge request. Null for rows without one, such
 * as awards to notes.
 */
export function keyIn(columns: StoredColumns & { commit_oid?: never }): NoteableKey<StoredName> | null
export function keyIn(columns: KeyColumns): NoteableKey | null
export function keyIn({ commit_oid = null, project_id, ...columns }: KeyColumns): NoteableKey | null {
  for (const { name } of storedKinds) {
    const id = columns[`${name}_id`] ?? null
    if (id !== null) return { kind: name, id }
  }
  return commit_oid === null || project_id === undefined ? null : { kind: 'commit', oid: commit_oid, project_id }
}

/** The key as columns to be written. */
export function columnsOf(key: NoteableKey): KeyColumns {
  return key.kind === 'commit' ? { commit_oid: key.oid, project_id: key.project_id } : { [`${key.kind}_id` as const]: key.id }
}

/** The existing ones, keyed by `nameOfKey`: at most one statement per kind. */
export async function findNoteables(db: Db, keys: readonly NoteableKey[]): Promise<Map<string, NoteableRow>> {
  const distinct = [...new Map(keys.map((key) => [nameOfKey(key), key])).values()]
  const found = new Map<string, NoteableRow>()
  for (const kind of noteableKinds) {
    const ofKind = distinct.filter((key) => key.kind === kind.name)
    const noteables = ofKind.length === 0 ? [] : await kind.find(db, ofKind)
    for (const noteable of noteables) found.set(nameOfKey(keyOf(noteable)), noteable)
  }
  return found
}

/** The noteable of a row; null if it was deleted. */
export async function findNoteable(db: Db, columns: KeyColumns): Promise<NoteableRow | null> {
  const key = keyIn(columns)
  return key && ((await findNoteables(db, [key])).get(nameOfKey(key)) ?? null)
}

export function nameOfKey(key: NoteableKey): string {
  return key.kind === 'commit' ? `${key.kind} ${key.project_id} ${key.oid}` : `${key.kind} ${key.id}`
}

/** Its path below a project in the API. */
export function apiPathOf(noteable: NoteableRow): string {
  const kind = kindOf(noteable)
  return filled(kind.path, kind.nameInPath(noteable.row))
}

/** Its path below a project among the pages. */
export function pagePathOf(noteable: NoteableRow): string {
  const kind = kindOf(noteable)
  return filled(kind.pagePath, kind.nameInPath(noteable.row))
}

function filled(path: string, name: number | string): string {
  return path.replace(/:\w+$/, String(name))
}

/** `aliasOf(kind, 'GET', '/discussions')`: the older path, if it has one. */
export function aliasOf({ oldPath }: NoteableKind, method: Method, below: `/${string}`): { alias?: Signature } {
  return oldPath === null ? {} : { alias: `${method} /projects/:id/${oldPath}${below}` }
}

/** The issue or merge request of an event. */
export function noteableOfEvent(event: { issue: Issue } | { merge_request: MergeRequest }): NoteableRow<IssuableName> {
  return 'issue' in event ? { kind: 'issue', row: event.issue } : { kind: 'merge_request', row: event.merge_request }
}
