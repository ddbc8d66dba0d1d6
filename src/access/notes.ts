/** Visibility of notes to readers who can see what the notes are on. */
import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { among, rowsByKeptPlan } from '../db/prepared-queries.ts'
import type { NoteableKey, Tables } from '../db/tables.ts'
import type { ProjectAccess } from './find.ts'
import { may } from './permissions.ts'
import {
  codeVisibleTo,
  isNotByBanned,
  issuesVisibleTo,
  mergeRequestsVisibleTo,
  projectsVisibleTo,
  snippetsVisibleTo,
  type Viewer,
} from './visible.ts'

type InNotes = ExpressionBuilder<Tables, 'notes'>

/** Internal notes are visible from reporter up. */
export function seesInternalNotes({ level }: Pick<ProjectAccess, 'level'>): boolean {
  return may('read_internal_notes', level)
}

type Kind = 'issue' | 'merge_request' | 'snippet' | 'project'

/**
 * Condition for rows of notes or todos (or an alias of the table) that are on this. Notes on a commit of a merge request belong to the
 * merge request.
 */
export function areOn<T extends string>(table: T, on: NoteableKey): RawBuilder<SqlBool> {
  const is = (name: string, wanted: number | string) => sql<SqlBool>`${sql.ref(`${table}.${name}`)} = ${wanted}`
  if (on.kind !== 'commit') return is(`${on.kind}_id`, on.id)
  return sql<SqlBool>`(${is('commit_oid', on.oid)} and ${is('project_id', on.project_id)} and ${sql.ref(`${table}.merge_request_id`)} is null)`
}

/** The sources that system notes tell of: issues, merge requests, snippets, and projects with their commits. */
interface Elsewhere {
  issues: number[]
  mergeRequests: number[]
  snippets: number[]
  projects: number[]
}

/**
 * Notes on something which the viewer can see, with this level there: internal ones for reporters, and those of the system that tell of
 * something elsewhere for those who can see that, those of banned users for administrators. For queries over `notes`. One statement.
 */
export async function notesVisibleAt(db: Db, on: NoteableKey, level: number, viewer: Viewer) {
  const { issues, mergeRequests, snippets, projects } = await visibleElsewhere(db, on, viewer)
  return (eb: InNotes): Expression<SqlBool> => {
    const elsewhere = eb.and([
      isNotByBanned('notes.author_id', viewer),
      eb.or([eb('notes.about_issue_id', 'is', null), among(db, 'notes.about_issue_id', issues)]),
      eb.or([eb('notes.about_merge_request_id', 'is', null), among(db, 'notes.about_merge_request_id', mergeRequests)]),
      eb.or([eb('notes.about_snippet_id', 'is', null), among(db, 'notes.about_snippet_id', snippets)]),
      eb.or([eb('notes.about_project_id', 'is', null), among(db, 'notes.about_project_id', projects)]),
    ])
    return seesInternalNotes({ level }) ? elsewhere : eb.and([eb('notes.internal', '=', false), elsewhere])
  }
}

/** Run before the query for notes: as a subquery it would be planned with each such query, and not once per connection. */
async function visibleElsewhere(db: Db, on: NoteableKey, viewer: Viewer): Promise<Elsewhere> {
  const told = (about: 'about_issue_id' | 'about_merge_request_id' | 'about_snippet_id' | 'about_project_id') =>
    db
      .selectFrom('notes')
      .select((eb) => eb.ref(`notes.${about}`).$notNull().as('id'))
      .where(areOn('notes', on))
      .where(`notes.${about}`, 'is not', null)
  const issues = db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select(['issues.id', sql.lit<Kind>('issue').as('kind')])
    .where('issues.id', 'in', told('about_issue_id'))
    .where(issuesVisibleTo(viewer))
  const mergeRequests = db
    .selectFrom('merge_requests')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .select(['merge_requests.id', sql.lit<Kind>('merge_request').as('kind')])
    .where('merge_requests.id', 'in', told('about_merge_request_id'))
    .where(isNotByBanned('merge_requests.author_id', viewer))
    .where((eb) => mergeRequestsVisibleTo(viewer)(eb as never))
  const snippets = db
    .selectFrom('snippets')
    .innerJoin('projects', 'projects.id', 'snippets.project_id')
    .select(['snippets.id', sql.lit<Kind>('snippet').as('kind')])
    .where('snippets.id', 'in', told('about_snippet_id'))
    .where(projectsVisibleTo(viewer))
    .where((eb) => snippetsVisibleTo(viewer)(eb as never))
  const projects = db
    .selectFrom('projects')
    .select(['projects.id', sql.lit<Kind>('project').as('kind')])
    .where('projects.id', 'in', told('about_project_id'))
    .where(codeVisibleTo(viewer))
  const found = await rowsByKeptPlan(db, issues.unionAll(mergeRequests).unionAll(snippets).unionAll(projects))
  const idsOf = (wanted: Kind) => found.filter(({ kind }) => kind === wanted).map(({ id }) => id)
  return { issues: idsOf('issue'), mergeRequests: idsOf('merge_request'), snippets: idsOf('snippet'), projects: idsOf('project') }
}
