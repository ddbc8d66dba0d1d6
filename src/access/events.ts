/**
 * Visibility of activity events: that of what they are about, evaluated on each read. Events refer to their targets by a column per kind,
 * with a foreign key. A copy of the visibility in each event would have to be updated when an issue becomes confidential. Events whose
 * target the viewer can't see are left out; a placeholder would reveal that there is something.
 */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { ProjectAccess } from './find.ts'
import { levelFor } from './permissions.ts'
import { holds } from './rule.ts'
import { allEventsRule } from './rules.ts'
import {
  codeVisibleTo,
  isNotByBanned,
  isOnShownRequest,
  issuesVisibleTo,
  mergeRequestsVisibleTo,
  nobodyIsBanned,
  projectsOfMember,
  projectsVisibleTo,
  snippetsVisibleTo,
  type Viewer,
  visibleBy,
  wikisVisibleTo,
} from './visible.ts'

type InProjects = ExpressionBuilder<Tables, 'projects'>
type InEvents = ExpressionBuilder<Tables, 'events' | 'projects' | 'issues' | 'notes'>

/**
 * Events the viewer can see. Pushes and comments on commits: those who may read the code. Issues and their notes: those who see the
 * issue, internal notes reporters only; merge requests likewise. Comments on snippets: those who see the
 * snippet. Wiki pages: those who may read the wiki. Milestones: those for whom issues or merge requests are on. Members and projects:
 * those who see the project. For a query over `events` joined with `projects`, and left joined with `issues` and `notes` by the ids in `events`.
 */
export function eventsVisibleTo(viewer: Viewer) {
  return (eb: InEvents): Expression<SqlBool> => {
    const { or, and } = eb
    const inProjects = eb as unknown as InProjects
    const ofTeam = or([
      eb('events.action', 'in', ['joined', 'left', 'expired']),
      and([eb('events.action', '=', 'created'), eb('events.target_type', 'is', null)]),
    ])
    const ofMilestone = and([eb('events.target_type', '=', 'Milestone'), milestonesOn(viewer)(inProjects)])
    const ofIssue = and([eb('events.issue_id', 'is not', null), issuesVisibleTo(viewer)(eb as never), plainOrForReporters(viewer)(eb)])
    const ofMergeRequest = and([
      eb('events.merge_request_id', 'is not', null),
      mergeRequestsVisibleTo(viewer)(inProjects as never),
      isOnShownRequest('events.merge_request_id', viewer),
      plainOrForReporters(viewer)(eb),
    ])
    const ofCode = and([
      eb('events.action', 'in', ['pushed', 'commented']),
      eb('events.issue_id', 'is', null),
      eb('events.merge_request_id', 'is', null),
      eb('events.snippet_id', 'is', null),
    ])
    const ofWikiPage = and([eb('events.target_type', '=', 'WikiPage'), wikisVisibleTo(viewer)(inProjects)])
    const ofSnippet = and([eb('events.snippet_id', 'is not', null), isOnVisibleSnippet(viewer)(eb)])
    return and([
      projectsVisibleTo(viewer)(inProjects),
      isNotByBanned('events.author_id', viewer),
      or([ofTeam, ofMilestone, ofIssue, ofMergeRequest, ofSnippet, ofWikiPage, and([ofCode, codeVisibleTo(viewer)(inProjects)])]),
    ])
  }
}

/** Whether `eventsVisibleTo` hides no event of the project, so that a list needn't check each event. */
export function seesAllEvents(access: ProjectAccess, viewer: Viewer): boolean {
  return holds(allEventsRule, access, viewer, null)
}

/** Projects of which the viewer can see every event. For a query over `projects`. */
export function allEventsOpenTo(viewer: Viewer) {
  return (eb: InProjects): Expression<SqlBool> => eb.and([visibleBy(allEventsRule, viewer)(eb), nobodyIsBanned(viewer)])
}

/** For a query over `projects`, joined as the projects of snippets. */
function isOnVisibleSnippet(viewer: Viewer) {
  return (eb: InEvents): Expression<SqlBool> =>
    eb.exists(
      eb
        .selectFrom('snippets')
        .select('snippets.id')
        .whereRef('snippets.id', '=', 'events.snippet_id')
        .where((of) => snippetsVisibleTo(viewer)(of as never)),
    )
}

function plainOrForReporters(viewer: Viewer) {
  return (eb: InEvents): Expression<SqlBool> => {
    const plain = eb.or([eb('events.note_id', 'is', null), eb('notes.internal', '=', false)])
    if (viewer?.admin) return eb.lit(true)
    return viewer ? eb.or([plain, projectsOfMember(viewer, levelFor('read_internal_notes'))(eb as unknown as InProjects)]) : plain
  }
}

/** Milestones are available if issues or merge requests are. For a query over `projects`. */
export function milestonesOn(viewer: Viewer) {
  return (eb: InProjects): Expression<SqlBool> => {
    const columns = ['projects.issues_access_level', 'projects.merge_requests_access_level'] as const
    const isAny = (level: 'enabled' | 'private') => eb.or(columns.map((column) => eb(column, '=', level)))
    if (viewer?.admin) return eb.or([isAny('enabled'), isAny('private')])
    return viewer ? eb.or([isAny('enabled'), eb.and([isAny('private'), projectsOfMember(viewer)(eb)])]) : isAny('enabled')
  }
}
