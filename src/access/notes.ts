/** Who sees a note, of those who can see what it is on. */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { ProjectAccess } from './find.ts'
import { accessLevels } from './levels.ts'
import { codeVisibleTo, issuesVisibleTo, mergeRequestsVisibleTo, type Viewer } from './visible.ts'

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
    const mergeRequest = eb
      .selectFrom('merge_requests')
      .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
      .select('merge_requests.id')
      .whereRef('merge_requests.id', '=', 'notes.about_merge_request_id')
      .where((inner) => mergeRequestsVisibleTo(viewer)(inner as unknown as ExpressionBuilder<Tables, 'projects'>))
    return eb.and([
      eb.or([eb('notes.about_issue_id', 'is', null), eb.exists(issue)]),
      eb.or([eb('notes.about_merge_request_id', 'is', null), eb.exists(mergeRequest)]),
      eb.or([eb('notes.about_project_id', 'is', null), eb.exists(project)]),
    ])
  }
}
