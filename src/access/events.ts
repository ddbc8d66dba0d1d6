/**
 * Who sees activity events: as what they tell of, evaluated on each read.
 *
 * Events name their targets by a column for each kind, with a foreign key. A copy of the visibility in each event would have to be written anew
 * when an issue becomes confidential. Who can't see the target gets no event: a placeholder would tell that there is something.
 */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { mayUse } from './features.ts'
import { canDownload, type ProjectAccess } from './find.ts'
import { levelFor, may } from './permissions.ts'
import {
  codeVisibleTo,
  issuesVisibleTo,
  mergeRequestsVisibleTo,
  projectsOfMember,
  projectsVisibleTo,
  snippetsVisibleTo,
  type Viewer,
} from './visible.ts'

type InProjects = ExpressionBuilder<Tables, 'projects'>
type InEvents = ExpressionBuilder<Tables, 'events' | 'projects' | 'issues' | 'notes'>

/**
 * Events the viewer can see. Pushes and comments on commits: those who may read the code. Issues and their notes: those who see the
 * issue, internal notes reporters only; merge requests likewise. Comments on snippets: those who see the
 * snippet. Milestones: those for whom issues or merge requests are on. Members and projects: those who see
 * the project. For a query over `events` joined with `projects`, and left joined with `issues` and `notes` by the ids in `events`.
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
      plainOrForReporters(viewer)(eb),
    ])
    const ofCode = and([
      eb('events.action', 'in', ['pushed', 'commented']),
      eb('events.issue_id', 'is', null),
      eb('events.merge_request_id', 'is', null),
      eb('events.snippet_id', 'is', null),
    ])
    const ofSnippet = and([eb('events.snippet_id', 'is not', null), isOnVisibleSnippet(viewer)(eb)])
    return and([
      projectsVisibleTo(viewer)(inProjects),
      or([ofTeam, ofMilestone, ofIssue, ofMergeRequest, ofSnippet, and([ofCode, codeVisibleTo(viewer)(inProjects)])]),
    ])
  }
}

/** Whether there is no event of the project that `eventsVisibleTo` hides: so that a list needn't ask for each. `allEventsOpenTo` in SQL. */
export function seesAllEvents(access: ProjectAccess, viewer: Viewer): boolean {
  return (
    may('read_internal_notes', access.level) &&
    (['issues', 'merge_requests', 'snippets'] as const).every((feature) => mayUse(feature, access)) &&
    canDownload(access, viewer)
  )
}

/** Projects of which the viewer sees every event, as `seesAllEvents` has it. For a query over `projects`. */
export function allEventsOpenTo(viewer: Viewer) {
  return (eb: InProjects): Expression<SqlBool> => {
    const features = (['issues', 'merge_requests', 'snippets', 'repository'] as const).map(
      (name) => `projects.${name}_access_level` as const,
    )
    const isMember = viewer ? (viewer.admin ? eb.lit(true) : projectsOfMember(viewer, levelFor('read_internal_notes'))(eb)) : eb.lit(false)
    return eb.and([isMember, ...features.map((feature) => eb(feature, '!=', 'disabled'))])
  }
}

/** In a query over `projects` that are those of the snippets. */
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

/** Milestones are there as long as issues or merge requests are. For a query over `projects`. */
export function milestonesOn(viewer: Viewer) {
  return (eb: InProjects): Expression<SqlBool> => {
    const columns = ['projects.issues_access_level', 'projects.merge_requests_access_level'] as const
    const isAny = (level: 'enabled' | 'private') => eb.or(columns.map((column) => eb(column, '=', level)))
    if (viewer?.admin) return eb.or([isAny('enabled'), isAny('private')])
    return viewer ? eb.or([isAny('enabled'), eb.and([isAny('private'), projectsOfMember(viewer)(eb)])]) : isAny('enabled')
  }
}
