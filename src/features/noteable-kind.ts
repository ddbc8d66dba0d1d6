/** A kind of noteable: what its noun exports, so that it can be discussed, awarded emoji and put into todos. */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { LocatedProject, ProjectAccess } from '../access/find.ts'
import type { Viewer } from '../access/visible.ts'
import type { Db } from '../db/database.ts'
import type { IssuableName, NoteableKey, NoteableName, NoteableRow, NoteableRows, StoredName, Tables } from '../db/tables.ts'
import type { Access, ProjectGranted, SignedIn } from '../http/declare/rules.ts'
import { nested, within } from '../http/declare/within.ts'

interface InProject {
  project: LocatedProject
  /** Access level of the caller in the project. */
  level: number
}

export type InNotes = ExpressionBuilder<Tables, 'notes'>

/** Something that is discussed, in its project and as a caller may see it. */
export type Noteable<N extends NoteableName = NoteableName> = NoteableRow<N> & InProject
export type Issuable = Noteable<IssuableName>

export interface NoteableGranted<N extends NoteableName = NoteableName> {
  noteable: Noteable<N>
}

type Pascal<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${Capitalize<First>}${Pascal<Rest>}`
  : Name extends string
    ? Capitalize<Name>
    : never

/** Methods are called with rows of their own kind alone: `kindOf(noteable)` finds it. */
export interface NoteableKind<N extends NoteableName = NoteableName> {
  name: N
  /** What the API calls it. */
  type: Pascal<N>
  /** As sentences call it, for example after "this". */
  noun: string
  /** The same with its article, for summaries. */
  label: string
  /** For "404 … Not Found". */
  title: string
  /** The sign of references to it, between its project and its number or id. */
  sign: string
  /** Its path below a project in the API; its last part is the parameter that names it. */
  path: string
  /** A path of older documentation that is served, too, except for notes. */
  oldPath: string | null
  /** Its path below a project among the pages. */
  pagePath: string
  /** Its column in the tables of notes, todos and emoji is called by its name. Null of what has no rows of its own. */
  table: N extends StoredName ? `${N}s` : null

  /** Finds it in a path, for those who can see it. */
  access: Access<ProjectGranted & SignedIn & NoteableGranted<N>>
  /** How paths name it. */
  nameInPath(row: NoteableRows[N]): number | string
  /** As texts of its project name it. */
  reference(row: NoteableRows[N]): string
  titleOf(row: NoteableRows[N]): string
  /** Those that are still there. At most one statement. */
  find(db: Db, keys: Array<NoteableKey<N>>): Promise<Array<NoteableRow<N>>>
  /**
   * Those of the users who can see it, in the order given: at most three statements for each thousand of them. An internal note on it is
   * seen by reporters alone.
   */
  readers(db: Db, project: LocatedProject, row: NoteableRows[N], userIds: number[], options?: { internal?: boolean }): Promise<number[]>
  /** For queries over `notes` of a project that the viewer can see: those on something of this kind that they see. Null where there are none. */
  notesVisible(eb: InNotes, viewer: Viewer, access: ProjectAccess): Expression<SqlBool> | null

  /** Whether it has a number, labels, assignees, subscribers and a state. */
  isIssuable: N extends IssuableName ? true : false
  /** Whether texts on it cause todos for those whom they mention. */
  causesTodos: boolean
  /** Whether notes stand in lists of their own, beside discussions. */
  hasSingleNotes: boolean
  hasInternalNotes: boolean
  /** Whether discussions on it can be resolved. */
  resolvable: boolean
  /** Whether it has a diff, on whose lines notes can be. */
  hasDiff: boolean
  /** Whether notes on its diff may suggest changes of lines. */
  takesSuggestions: boolean
  /** Whether lines such as `/close` act; otherwise they are text. */
  takesQuickActions: boolean
  /** Whether a single note that is nothing but an emoji awards it instead (spec 4.5). */
  awardsEmojiBodies: boolean
}

/** The rule, granting what it loads as a noteable. */
export function grantedAsNoteable<N extends NoteableName, G extends ProjectGranted & SignedIn>(
  rule: Access<G>,
  rowOf: (granted: G) => NoteableRow<N>,
): Access<G & NoteableGranted<N>> {
  const loaded = nested({}, (granted: G): NoteableGranted<N> => {
    const { project, level } = granted
    return { noteable: { ...rowOf(granted), project, level } }
  })
  return within(rule, loaded)
}
