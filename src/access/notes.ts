/** Visibility of notes to readers who can see what the notes are on. */
import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { among, rowsByKeptPlan } from '../db/prepared-queries.ts'
import type { NoteableKey, Tables } from '../db/tables.ts'
import type { ProjectAccess } from './find.ts'
import { may } from './permissions.ts'
import { codeVisibleTo, issuesVisibleTo, mergeRequestsVisibleTo, type Viewer } from './visible.ts'

type InNotes = ExpressionBuilder<Tables, 'notes'>

/** Internal notes are visible from reporter up. */
export function seesInternalNotes({ level }: Pick<ProjectAccess, 'level'>): boolean {
  return may('read_internal_notes', level)
}

type Kind = 'issue' | 'merge_request' | 'project'

/**
 * Condition for rows of notes or todos (or an alias of the table) that are on this. Notes on a commit of a merge request belong to the
 * merge request.
 */
export function areOn<T extends string>(table: T, on: NoteableKey): RawBuilder<SqlBool> {
  const is = (name: string, wanted: number | string) => sql<SqlBool>`${sql.ref(`${table}.${name}`)} = ${wanted}`
  if (on.kind !== 'commit') return is(`${on.kind}_id`, on.id)
  return sql<SqlBool>`(${is('commit_oid', on.oid)} and ${is('project_id', on.project_id)} and ${sql.ref(`${table}.merge_request_id`)} is null)`
}

/** Other things that system notes mention: issues, merge requests, and projects with their commits. */
interface Elsewhere {
  issues: number[]
  mergeRequests: number[]
  projects: number[]
}

/**
 * Notes on something that the viewer can see with this level: internal ones only from reporter up, and system notes that mention other
 * things only if the viewer can see those. For queries over `notes`. One statement.
 */
export async function notesVisibleAt(db: Db, on: NoteableKey, level: number, viewer: Viewer) {
  const { issues, mergeRequests, projects } = await visibleElsewhere(db, on, viewer)
  return (eb: InNotes): Expression<SqlBool> => {
    const elsewhere = eb.and([
      eb.or([eb('notes.about_issue_id', 'is', null), among(db, 'notes.about_issue_id', issues)]),
      eb.or([eb('notes.about_merge_request_id', 'is', null), among(db, 'notes.about_merge_request_id', mergeRequests)]),
      eb.or([eb('notes.about_project_id', 'is', null), among(db, 'notes.about_project_id', projects)]),
    ])
    return seesInternalNotes({ level }) ? elsewhere : eb.and([eb('notes.internal', '=', false), elsewhere])
  }
}

/** Run before the query for notes: as a subquery it would be planned with each such query, and not once per connection. */
async function visibleElsewhere(db: Db, on: NoteableKey, viewer: Viewer): Promise<Elsewhere> {
  const told = (about: 'about_issue_id' | 'about_merge_request_id' | 'about_project_id') =>
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
    .where((eb) => mergeRequestsVisibleTo(viewer)(eb as never))
  const projects = db
    .selectFrom('projects')
    .select(['projects.id', sql.lit<Kind>('project').as('kind')])
    .where('projects.id', 'in', told('about_project_id'))
    .where(codeVisibleTo(viewer))
  const found = await rowsByKeptPlan(db, issues.unionAll(mergeRequests).unionAll(projects))
  const idsOf = (wanted: Kind) => found.filter(({ kind }) => kind === wanted).map(({ id }) => id)
  return { issues: idsOf('issue'), mergeRequests: idsOf('merge_request'), projects: idsOf('project') }
}
