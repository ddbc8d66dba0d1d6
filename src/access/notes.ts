/** Who sees a note, of those who can see what it is on. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { ProjectAccess } from './find.ts'
import { accessLevels } from './levels.ts'
import { codeVisibleTo, issuesVisibleTo, projectsOfMember, type Viewer } from './visible.ts'

type InNotes = ExpressionBuilder<Tables, 'notes'>

/** Internal notes are for reporters. */
export function seesInternalNotes({ level }: Pick<ProjectAccess, 'level'>): boolean {
  return level >= accessLevels.reporter
}

/**
 * Notes on one thing in a project which the viewer can see, with this level there: internal ones for reporters, and those of the
 * system that tell of something elsewhere for those who can see that. For a query over `notes`.
 */
export function notesVisibleAt(level: number, viewer: Viewer) {
  return (eb: InNotes): Expression<SqlBool> => {
    const elsewhere = tellsOfVisible(viewer)(eb)
    return seesInternalNotes({ level }) ? elsewhere : eb.and([eb('notes.internal', '=', false), elsewhere])
  }
}

/** The same over many projects, for those notes whose issue the viewer can see. For a query over `notes` joined with `projects`. */
export function notesVisibleTo(viewer: Viewer) {
  return (eb: ExpressionBuilder<Tables, 'notes' | 'projects'>): Expression<SqlBool> => {
    const plain = eb('notes.internal', '=', false)
    const inProjects = eb as unknown as ExpressionBuilder<Tables, 'projects'>
    const open = viewer ? eb.or([plain, projectsOfMember(viewer.id, accessLevels.reporter)(inProjects)]) : plain
    const elsewhere = tellsOfVisible(viewer)(eb as unknown as InNotes)
    return eb.and([viewer?.admin ? sql<SqlBool>`1 = 1` : open, elsewhere])
  }
}

function tellsOfVisible(viewer: Viewer) {
  return (eb: InNotes): Expression<SqlBool> => {
    const issue = eb
      .selectFrom('issues')
      .innerJoin('projects', 'projects.id', 'issues.project_id')
      .select('issues.id')
      .whereRef('issues.id', '=', 'notes.about_issue_id')
      .where((inner) => issuesVisibleTo(viewer)(inner as unknown as ExpressionBuilder<Tables, 'issues' | 'projects'>))
    const project = eb
      .selectFrom('projects')
      .select('projects.id')
      .whereRef('projects.id', '=', 'notes.about_project_id')
      .where((inner) => codeVisibleTo(viewer)(inner as unknown as ExpressionBuilder<Tables, 'projects'>))
    return eb.and([
      eb.or([eb('notes.about_issue_id', 'is', null), eb.exists(issue)]),
      eb.or([eb('notes.about_project_id', 'is', null), eb.exists(project)]),
    ])
  }
}
