/**
 * What a user can see, as SQL: the one predicate behind rows, counts, search and every nested list, evaluated on each read.
 * A membership holds for its group or project and everything below, and in projects and groups shared with the group, up to the
 * level of the share. A share is for members of the group and of groups above it, not for those who have access by another share.
 * Expired memberships and shares are ignored.
 */

import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { among } from '../db/prepared-queries.ts'
import type { Tables, User, Visibility } from '../db/tables.ts'
import { accessLevels } from './levels.ts'
import { groupsAbove, groupsJoinedBy, namespacesOfMember, projectsJoinedBy } from './members.ts'
import { levelFor } from './permissions.ts'

/** The caller; null if anonymous. Their memberships are read by the queries themselves, unless `withMemberships` has read them before. */
export type Viewer = Member | null

type Member = Pick<User, 'id' | 'admin' | 'external'> & { memberships?: Memberships }

/** Memberships of a viewer, read by `withMemberships`. */
export interface Memberships {
  db: Db
  /** Ids of places with at least this level; null for levels that weren't read. */
  at: (minLevel: number) => { namespaceIds: readonly number[]; projectIds: readonly number[] } | null
  /** The groups of `groupsOfUser`. */
  seenGroupIds: readonly number[]
}

/** Sees everything: for deploy keys, and for lists that are limited to what the caller manages. */
export const everything = { id: 0, admin: true, external: false } satisfies Viewer

type InProjects = ExpressionBuilder<Tables, 'projects'>
type InIssues = ExpressionBuilder<Tables, 'issues' | 'projects'>
type JustIssues = ExpressionBuilder<Tables, 'issues'>
type InSnippets = ExpressionBuilder<Tables, 'snippets' | 'projects'>
type InNamespaces = ExpressionBuilder<Tables, 'namespaces'>

/** Projects the viewer can see. For a query over `projects`. */
export function projectsVisibleTo(viewer: Viewer) {
  return (eb: InProjects): Expression<SqlBool> => {
    if (viewer?.admin) return sql<SqlBool>`1 = 1`
    const open = eb('projects.visibility', 'in', openTo(viewer))
    return viewer ? eb.or([open, projectsOfMember(viewer)(eb)]) : open
  }
}

/** Limits to visible projects whose code the viewer may read, as `canDownload` in find.ts has it. For a query over `projects`. */
export function codeVisibleTo(viewer: Viewer) {
  return (eb: InProjects): Expression<SqlBool> => {
    const { or, and } = eb
    if (viewer?.admin) return eb('projects.repository_access_level', '!=', 'disabled')
    const open = eb('projects.visibility', 'in', openTo(viewer))
    const forAll = and([eb('projects.repository_access_level', '=', 'enabled'), open])
    if (!viewer) return forAll
    return or([
      forAll,
      and([eb('projects.repository_access_level', '=', 'private'), open, projectsOfMember(viewer)(eb)]),
      and([eb('projects.repository_access_level', '!=', 'disabled'), projectsOfMember(viewer, levelFor('read_code'))(eb)]),
    ])
  }
}

/**
 * Issues the viewer can see, as `canSeeIssue` in find.ts has it: those of visible projects whose issues are on for them; confidential
 * ones as their author, as an assignee, or with the role reporter. For a query over `issues` joined with `projects`.
 */
export function issuesVisibleTo(viewer: Viewer) {
  return (eb: InIssues): Expression<SqlBool> => {
    const projects = eb as unknown as InProjects
    const on = issuesOnFor(viewer)(projects)
    if (viewer?.admin) return on
    return eb.and([on, eb.or([isSeenAlone(viewer)(eb as unknown as JustIssues), confidentialVisibleTo(viewer)(projects)])])
  }
}

/**
 * Merge requests the viewer can see, as `canSeeMergeRequests` in merge-requests.ts has it: where the feature is on for them and they
 * may read the code. For a query over `projects`: those of the target.
 */
export function mergeRequestsVisibleTo(viewer: Viewer) {
  return (eb: InProjects): Expression<SqlBool> => {
    const code = codeVisibleTo(viewer)(eb)
    if (viewer?.admin) return eb.and([eb('projects.merge_requests_access_level', '!=', 'disabled'), code])
    const forAll = eb('projects.merge_requests_access_level', '=', 'enabled')
    if (!viewer) return eb.and([forAll, code])
    const forMembers = eb.and([eb('projects.merge_requests_access_level', '=', 'private'), projectsOfMember(viewer)(eb)])
    return eb.and([eb.or([forAll, forMembers]), code])
  }
}

/**
 * Snippets the viewer can see, as `canSeeSnippet` in snippets.ts has it. Those of a project: its members see all of them, others those
 * that are open to them or their own, where they see the project; nobody where the feature is off. For a query over `snippets` left
 * joined with `projects`.
 */
export function snippetsVisibleTo(viewer: Viewer) {
  return (eb: InSnippets): Expression<SqlBool> => {
    const projects = eb as unknown as InProjects
    const personal = eb('snippets.project_id', 'is', null)
    const isOn = eb('projects.snippets_access_level', '!=', 'disabled')
    if (viewer?.admin) return eb.or([personal, isOn])
    const isOpen = eb('snippets.visibility', 'in', openTo(viewer))
    const seenAlone = viewer ? eb.or([isOpen, eb('snippets.author_id', '=', viewer.id)]) : isOpen
    const inOpenProject = eb.and([
      eb('projects.visibility', 'in', openTo(viewer)),
      eb('projects.snippets_access_level', '=', 'enabled'),
      seenAlone,
    ])
    const ofOthers = eb.or([eb.and([personal, seenAlone]), inOpenProject])
    return viewer ? eb.or([ofOthers, eb.and([isOn, projectsOfMember(viewer)(projects)])]) : ofOthers
  }
}

/** Projects whose issues the viewer can see, confidential ones apart. For a query over `projects`. */
export function issuesOnFor(viewer: Viewer) {
  return (eb: InProjects): Expression<SqlBool> => {
    const on = eb('projects.issues_access_level', '!=', 'disabled')
    if (viewer?.admin) return on
    const forAll = eb.and([eb('projects.visibility', 'in', openTo(viewer)), eb('projects.issues_access_level', '=', 'enabled')])
    return viewer ? eb.and([on, eb.or([forAll, projectsOfMember(viewer)(eb)])]) : forAll
  }
}

/** Projects of whose issues the viewer can see the confidential ones too. For a query over `projects`. */
export function confidentialVisibleTo(viewer: Viewer) {
  return (eb: InProjects): Expression<SqlBool> => {
    if (viewer?.admin) return sql<SqlBool>`1 = 1`
    return viewer ? projectsOfMember(viewer, levelFor('read_confidential_issues'))(eb) : sql<SqlBool>`1 = 0`
  }
}

/** Issues that the viewer sees whatever their role: those that are not confidential, and their own. For a query over `issues`. */
export function isSeenAlone(viewer: Viewer) {
  return (eb: JustIssues): Expression<SqlBool> => {
    const plain = eb('issues.confidential', '=', false)
    return viewer ? eb.or([plain, isOwn(viewer)(eb)]) : plain
  }
}

/** Issues of which the viewer is the author or an assignee. For a query over `issues`. */
export function isOwn(viewer: Viewer) {
  return (eb: JustIssues): Expression<SqlBool> => {
    const id = viewer?.id ?? 0
    const assigned = eb.selectFrom('issue_assignees').select('issue_assignees.issue_id').where('user_id', '=', id)
    return eb.or([eb('issues.author_id', '=', id), eb('issues.id', 'in', assigned)])
  }
}

/** The visible issues as a set that is found by indexes: for queries that look for these issues alone. */
export function isAmongOwn(viewer: Viewer) {
  return (eb: JustIssues): Expression<SqlBool> => {
    const id = viewer?.id ?? 0
    const written = eb.selectFrom('issues as written').select('written.id').where('written.author_id', '=', id)
    const assigned = eb.selectFrom('issue_assignees').select('issue_assignees.issue_id as id').where('user_id', '=', id)
    return eb('issues.id', 'in', written.union(assigned))
  }
}

/** Projects that the viewer sees only as a member. */
export function projectsOnlyForMember(viewer: Viewer) {
  return (eb: InProjects): Expression<SqlBool> =>
    viewer && !viewer.admin
      ? eb.and([eb('projects.visibility', 'not in', openTo(viewer)), eb('projects.id', 'in', idsOfMember(eb, viewer.id))])
      : sql<SqlBool>`1 = 0`
}

/** Groups that the viewer sees by their memberships alone. */
export function groupsOnlyForMember(viewer: Viewer) {
  return (eb: InNamespaces): Expression<SqlBool> =>
    viewer && !viewer.admin
      ? eb.and([eb('namespaces.visibility', 'not in', openTo(viewer)), groupsOfUser(viewer.id)(eb)])
      : sql<SqlBool>`1 = 0`
}

/** The visibilities whose projects and groups the viewer sees, member or not; null for all. */
export function visibilitiesOpenTo(viewer: Viewer): Visibility[] | null {
  return viewer?.admin ? null : openTo(viewer)
}

/**
 * Projects the user is a member of with at least this level: directly, by a group above, by a shared group, or as owner of the
 * namespace. Memberships are computed once per query, not for each row.
 */
export function projectsOfMember({ id, memberships }: Pick<Member, 'id' | 'memberships'>, minLevel: number = accessLevels.guest) {
  return (eb: InProjects): Expression<SqlBool> => {
    const known = memberships?.at(minLevel)
    if (memberships && known) {
      const { db } = memberships
      return eb.or([among(db, 'projects.namespace_id', known.namespaceIds), among(db, 'projects.id', known.projectIds)])
    }
    return eb.or([
      eb('projects.namespace_id', 'in', namespacesOfMember(eb, id, minLevel)),
      eb('projects.id', 'in', projectsJoinedBy(eb, id, minLevel)),
    ])
  }
}

/** The projects of `projectsOfMember`, as ids: few, where the other form has both engines look at each project. */
function idsOfMember(eb: InProjects, userId: number, minLevel: number = accessLevels.guest) {
  return (eb as ExpressionBuilder<Tables, never>)
    .selectFrom('projects as own_projects')
    .select('own_projects.id as project_id')
    .where('own_projects.namespace_id', 'in', namespacesOfMember(eb, userId, minLevel))
    .unionAll(projectsJoinedBy(eb, userId, minLevel))
}

/**
 * Groups the viewer can see: open ones, those above, at or below one of their memberships, and those shared with one of their
 * groups, below these, and above what is shared. For a query over `namespaces`.
 */
export function groupsVisibleTo(viewer: Viewer) {
  return (eb: InNamespaces): Expression<SqlBool> => {
    if (viewer?.admin) return sql<SqlBool>`1 = 1`
    const open = eb('namespaces.visibility', 'in', openTo(viewer))
    if (!viewer) return open
    const { memberships } = viewer
    return eb.or([open, memberships ? among(memberships.db, 'namespaces.id', memberships.seenGroupIds) : groupsOfUser(viewer.id)(eb)])
  }
}

/** Groups the user is a member of with at least this level: directly, by a group above, or by a share with a group. */
export function groupsOfMember(userId: number, minLevel: number = accessLevels.guest) {
  return (eb: InNamespaces): Expression<SqlBool> => eb('namespaces.id', 'in', groupsJoinedBy(eb, userId, minLevel))
}

/** Groups at, below or above a membership of the user, or above what is shared with one of their groups. */
export function groupsOfUser(userId: number) {
  return (eb: InNamespaces): Expression<SqlBool> =>
    eb('namespaces.id', 'in', groupsJoinedBy(eb, userId, accessLevels.guest).unionAll(groupsAbove(eb, userId)))
}

function openTo(viewer: Viewer): Array<'internal' | 'public'> {
  return viewer && !viewer.external ? ['public', 'internal'] : ['public']
}
