/** The declaration of a kind of noteable: what its feature exports so that it can be discussed, awarded emoji and put into to-do lists. */
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

/** Something with a discussion, in its project and as a caller may see it. */
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

/** Methods may only be called with rows of their own kind: `kindOf(noteable)` finds it. */
export interface NoteableKind<N extends NoteableName = NoteableName> {
  name: N
  /** Its name in the API. */
  type: Pascal<N>
  /** Its name in headers of mail, as in the reference release: `X-GitLab-Issue-ID`. */
  mailName: string
  /** The noun in sentences, for example after "this". */
  noun: string
  /** The noun with its article, for summaries. */
  label: string
  /** For "404 … Not Found". */
  title: string
  /** The character in references to it, between its project and its number or id. */
  sign: string
  /** Its path below a project in the API; the last part is the parameter that identifies it. */
  path: string
  /** A path of older documentation that is served as well, except for notes. */
  oldPath: string | null
  /** Its path below a project in the URLs of pages. */
  pagePath: string
  /** Its table, whose name is also that of its column in the tables of notes, to-do items and emoji. Null if it has no rows of its own. */
  table: N extends StoredName ? `${N}s` : null

  /** Finds it by its path, for users who can see it. */
  access: Access<ProjectGranted & SignedIn & NoteableGranted<N>>
  /** Its number or id in paths. */
  nameInPath(row: NoteableRows[N]): number | string
  /** Its reference in texts of its project. */
  reference(row: NoteableRows[N]): string
  titleOf(row: NoteableRows[N]): string
  /** The given ones that still exist. At most one statement. */
  find(db: Db, keys: Array<NoteableKey<N>>): Promise<Array<NoteableRow<N>>>
  /**
   * The given users who can see it, in their order: at most three statements per thousand. Internal notes on it require reporters.
   */
  readers(db: Db, project: LocatedProject, row: NoteableRows[N], userIds: number[], options?: { internal?: boolean }): Promise<number[]>
  /**
   * For queries over `notes` of a project that the viewer can see: notes on a noteable of this kind that the viewer can see. Null if there
   * are none.
   */
  notesVisible(eb: InNotes, viewer: Viewer, access: ProjectAccess): Expression<SqlBool> | null

  /** Whether it has a number, labels, assignees, subscribers and a state. */
  isIssuable: N extends IssuableName ? true : false
  /** Whether texts on it cause todos for those whom they mention. */
  causesTodos: boolean
  /** Whether there are lists of its notes, besides discussions. */
  hasSingleNotes: boolean
  hasInternalNotes: boolean
  /** Whether discussions on it can be resolved. */
  resolvable: boolean
  /** Whether it has a diff with notes on its lines. */
  hasDiff: boolean
  /** Whether notes on its diff may suggest changes. */
  takesSuggestions: boolean
  /** Whether lines such as `/close` are quick actions; otherwise they are text. */
  takesQuickActions: boolean
  /** Whether a single note that only consists of an emoji awards it instead (spec 4.5). */
  awardsEmojiBodies: boolean
}

/** The access rule, with the row it loads granted as a noteable. */
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
