/** Who sees a note, of those who can see what it is on. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { among, rowsByKeptPlan } from '../db/prepared-queries.ts'
import type { Tables } from '../db/tables.ts'
import type { ProjectAccess } from './find.ts'
import { accessLevels } from './levels.ts'
import { codeVisibleTo, issuesVisibleTo, type Viewer } from './visible.ts'

type InNotes = ExpressionBuilder<Tables, 'notes'>

/** Internal notes are for reporters. */
export function seesInternalNotes({ level }: Pick<ProjectAccess, 'level'>): boolean {
  return level >= accessLevels.reporter
}

/** What notes of the system tell of: issues, and projects with their commits. */
interface Elsewhere {
  issues: number[]
  projects: number[]
}

/**
 * Notes on an issue which the viewer can see, with this level there: internal ones for reporters, and those of the system that tell of
 * something elsewhere for those who can see that. For queries over `notes`. One statement.
 */
export async function notesVisibleAt(db: Db, issueId: number, level: number, viewer: Viewer) {
  const { issues, projects } = await visibleElsewhere(db, issueId, viewer)
  return (eb: InNotes): Expression<SqlBool> => {
    const elsewhere = eb.and([
      eb.or([eb('notes.about_issue_id', 'is', null), among(db, 'notes.about_issue_id', issues)]),
      eb.or([eb('notes.about_project_id', 'is', null), among(db, 'notes.about_project_id', projects)]),
    ])
    return seesInternalNotes({ level }) ? elsewhere : eb.and([eb('notes.internal', '=', false), elsewhere])
  }
}

/** Asked before the notes are: as a part of their query it would be planned with each, and not once for a connection. */
async function visibleElsewhere(db: Db, issueId: number, viewer: Viewer): Promise<Elsewhere> {
  const told = (column: 'about_issue_id' | 'about_project_id') =>
    db
      .selectFrom('notes')
      .select((eb) => eb.ref(`notes.${column}`).$notNull().as('id'))
      .where('notes.issue_id', '=', issueId)
      .where(`notes.${column}`, 'is not', null)
  const issues = db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select(['issues.id', sql.lit<'issue' | 'project'>('issue').as('kind')])
    .where('issues.id', 'in', told('about_issue_id'))
    .where(issuesVisibleTo(viewer))
  const projects = db
    .selectFrom('projects')
    .select(['projects.id', sql.lit<'issue' | 'project'>('project').as('kind')])
    .where('projects.id', 'in', told('about_project_id'))
    .where(codeVisibleTo(viewer))
  const found = await rowsByKeptPlan(db, issues.unionAll(projects))
  const idsOf = (wanted: 'issue' | 'project') => found.filter(({ kind }) => kind === wanted).map(({ id }) => id)
  return { issues: idsOf('issue'), projects: idsOf('project') }
}
