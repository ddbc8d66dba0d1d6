/**
 * Visibility as SQL: the one predicate behind rows, counts, search and every nested list, evaluated on each read. A membership applies to
 * its group or project and everything below, and to projects and groups shared with the group, up to the level of the share. A share gives
 * access to members of the group and of groups above it, but not to users who have access to that group through another share. Expired
 * memberships and shares are ignored.
 */

import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { among } from '../db/prepared-queries.ts'
import type { Tables, User, Visibility } from '../db/tables.ts'
import { accessLevels, openTo } from './levels.ts'
import { groupsAbove, groupsJoinedBy, namespacesOfMember, projectsJoinedBy } from './members.ts'
import { levelFor } from './permissions.ts'
import { allowed, feature, type Rule } from './rule.ts'
import { codeRule, issueRule, issueSeenAlone, mergeRequestRule, wikiRule } from './rules.ts'

/** The caller; null if anonymous. Queries read the memberships themselves, unless `withMemberships` has read them before. */
export type Viewer = Member | null

type Member = Pick<User, 'id' | 'admin' | 'external'> & { memberships?: Memberships }

/** Memberships of a viewer, read by `withMemberships`. */
export interface Memberships {
  db: Db
  /** Ids of namespaces and projects with at least this level; null for levels that weren't read. */
  at: (minLevel: number) => { namespaceIds: readonly number[]; projectIds: readonly number[] } | null
  /** Ids of the groups in `groupsOfUser`. */
  seenGroupIds: readonly number[]
  /** The rows they were read from. The same object until memberships change, so that queries built from them can be cached by it. */
  rows: object
}

/** A viewer who sees everything: for deploy keys, and for lists that are limited to what the caller manages. */
export const everything = { id: 0, admin: true, external: false } satisfies Viewer

type InProjects = ExpressionBuilder<Tables, 'projects'>
type InIssues = ExpressionBuilder<Tables, 'issues' | 'projects'>
type JustIssues = ExpressionBuilder<Tables, 'issues'>
type InSnippets = ExpressionBuilder<Tables, 'snippets' | 'projects'>
type InNamespaces = ExpressionBuilder<Tables, 'namespaces'>

/**
 * The rule as a condition: visible projects, or things in them, for which it holds. For a query over `projects`, joined with the table of
 * the things if the rule has facts about them.
 */
export function visibleBy<Row>(rule: Rule<Row>, viewer: Viewer) {
  return (eb: InProjects): Expression<SqlBool> => {
    const known = viewer?.admin ? { level: accessLevels.owner, isOpen: true } : { level: 0, isOpen: false }
    const answer = answerOf(rule, viewer, eb, known)
    return typeof answer === 'boolean' ? sql<SqlBool>`${sql.raw(answer ? '1 = 1' : '1 = 0')}` : answer
  }
}

/** Other conditions of the query already imply this about the project, so it needn't be checked again for each row. */
interface Known {
  level: number
  isOpen: boolean
}

/** A constant if it is the same for every row. */
type Answer = Expression<SqlBool> | boolean

function answerOf<Row>(rule: Rule<Row>, viewer: Viewer, eb: InProjects, known: Known): Answer {
  switch (rule.is) {
    case 'feature': {
      const column = `projects.${rule.feature}_access_level` as const
      const on = eb(column, '!=', 'disabled')
      if (known.level >= accessLevels.guest) return on
      const enabled = eb(column, '=', 'enabled')
      const forAll = known.isOpen ? enabled : eb.and([isOpen(eb, viewer), enabled])
      return viewer ? eb.and([on, eb.or([forAll, projectsOfMember(viewer)(eb)])]) : forAll
    }
    case 'allowed': {
      const level = levelFor(rule.permission)
      return known.level >= level || (viewer !== null && projectsOfMember(viewer, level)(eb))
    }
    case 'open':
      return known.isOpen || isOpen(eb, viewer)
    case 'fact':
      return rule.where(eb as unknown as ExpressionBuilder<Tables, never>, viewer) ?? false
    case 'any': {
      const answers = rule.of.map((one) => answerOf(one, viewer, eb, known))
      const open = answers.filter((answer) => typeof answer !== 'boolean')
      return answers.includes(true) || (open.length > 0 && eb.or(open))
    }
    case 'all': {
      const answers = rule.of.map((one) => answerOf(one, viewer, eb, isGiven(one, viewer) ? known : beside(rule.of, viewer, known)))
      const open = answers.filter((answer) => typeof answer !== 'boolean')
      return !answers.includes(false) && (open.length === 0 || eb.and(open))
    }
  }
}

/** Whether the condition is implied by what is known. */
function isGiven({ is }: Rule<never>, viewer: Viewer): boolean {
  return is === 'allowed' || (is === 'feature' && viewer === null)
}

function beside<Row>(rules: ReadonlyArray<Rule<Row>>, viewer: Viewer, { level, isOpen }: Known): Known {
  const levels = rules.flatMap((one) => (one.is === 'allowed' ? [levelFor(one.permission)] : []))
  return { level: Math.max(level, ...levels), isOpen: isOpen || (viewer === null && rules.some(({ is }) => is === 'feature')) }
}

function isOpen(eb: InProjects, viewer: Viewer): Expression<SqlBool> {
  return eb('projects.visibility', 'in', openTo(viewer))
}

/** Projects that the viewer can see. For a query over `projects`. */
export function projectsVisibleTo(viewer: Viewer) {
  return (eb: InProjects): Expression<SqlBool> => {
    if (viewer?.admin) return sql<SqlBool>`1 = 1`
    const open = eb('projects.visibility', 'in', openTo(viewer))
    return viewer ? eb.or([open, projectsOfMember(viewer)(eb)]) : open
  }
}

/** Visible projects whose code the viewer may read. For a query over `projects`. */
export function codeVisibleTo(viewer: Viewer) {
  return visibleBy(codeRule, viewer)
}

/** Banned users, who are few: an index finds them. */
const banned = sql`select users.id from users where users.state = 'banned'`

/** Whether somebody else than a banned user wrote it: what these wrote is for administrators alone. `author` is a column of the query. */
export function isNotByBanned(author: string, viewer: Viewer): RawBuilder<SqlBool> {
  return viewer?.admin ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.ref(author)} not in (${banned})`
}

/**
 * `isNotByBanned` for rows on a merge request, by the column with its id: a banned author's merge request is hidden with everything on it.
 */
export function isOnShownRequest(merge_request: string, viewer: Viewer): RawBuilder<SqlBool> {
  if (viewer?.admin) return sql<SqlBool>`1 = 1`
  const hidden = sql`select id from merge_requests where merge_requests.author_id in (${banned})`
  return sql<SqlBool>`(not exists (${banned}) or ${sql.ref(merge_request)} not in (${hidden}))`
}

/** Whether the viewer sees what everybody wrote. */
export function nobodyIsBanned(viewer: Viewer): RawBuilder<SqlBool> {
  return viewer?.admin ? sql<SqlBool>`1 = 1` : sql<SqlBool>`not exists (${banned})`
}

/** How many rows `of` counts, which are of banned users and hidden: without any, the rows are not looked at. */
export function hiddenByBan(of: (isByBanned: RawBuilder<SqlBool>) => Expression<unknown>, author: string): RawBuilder<number> {
  return sql<number>`case when exists (${banned}) then (${of(sql<SqlBool>`${sql.ref(author)} in (${banned})`)}) else 0 end`
}

/** Projects whose wiki the viewer may read, of those that they see. For a query over `projects`. */
export function wikisVisibleTo(viewer: Viewer) {
  return visibleBy(wikiRule, viewer)
}

/** Issues the viewer can see: those of visible projects whose issues are on for them. For a query over `issues` joined with `projects`. */
export function issuesVisibleTo(viewer: Viewer) {
  return (eb: InIssues): Expression<SqlBool> =>
    eb.and([visibleBy(issueRule, viewer)(eb as unknown as InProjects), isNotByBanned('issues.author_id', viewer)])
}

/** Projects whose merge requests the viewer can see. For a query over `projects`, joined as target projects. */
export function mergeRequestsVisibleTo(viewer: Viewer) {
  return visibleBy(mergeRequestRule, viewer)
}

/**
 * Snippets that the viewer can see, by the rule of `canSeeSnippet` in snippets.ts. In a project, its members see all of them; others who
 * can see the project see those with open visibility and their own; nobody sees any if the feature is disabled. For a query over `snippets`
 * left joined with `projects`.
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
    const seen = viewer ? eb.or([ofOthers, eb.and([isOn, projectsOfMember(viewer)(projects)])]) : ofOthers
    return eb.and([seen, isNotByBanned('snippets.author_id', viewer)])
  }
}

/** Projects whose issues the viewer can see, except confidential ones. For a query over `projects`. */
export function issuesOnFor(viewer: Viewer) {
  return visibleBy(feature('issues'), viewer)
}

/** Projects whose confidential issues the viewer can see, too. For a query over `projects`. */
export function confidentialVisibleTo(viewer: Viewer) {
  return visibleBy(allowed('read_confidential_issues'), viewer)
}

/** Issues that the viewer can see in any role: those that are not confidential, and their own. For a query over `issues`. */
export function isSeenAlone(viewer: Viewer) {
  return (eb: JustIssues): Expression<SqlBool> => visibleBy(issueSeenAlone, viewer)(eb as unknown as InProjects)
}

/** `isSeenAlone` as a set of ids that the database finds by index, for queries that need no other issues. */
export function isAmongOwn(viewer: Viewer) {
  return (eb: JustIssues): Expression<SqlBool> => {
    const id = viewer?.id ?? 0
    const written = eb.selectFrom('issues as written').select('written.id').where('written.author_id', '=', id)
    const assigned = eb.selectFrom('issue_assignees').select('issue_assignees.issue_id as id').where('user_id', '=', id)
    return eb('issues.id', 'in', written.union(assigned))
  }
}

/** Projects that the viewer can only see as a member. */
export function projectsOnlyForMember(viewer: Viewer) {
  return (eb: InProjects): Expression<SqlBool> =>
    viewer && !viewer.admin
      ? eb.and([eb('projects.visibility', 'not in', openTo(viewer)), eb('projects.id', 'in', idsOfMember(eb, viewer.id))])
      : sql<SqlBool>`1 = 0`
}

/** Groups that the viewer can only see through memberships. */
export function groupsOnlyForMember(viewer: Viewer) {
  return (eb: InNamespaces): Expression<SqlBool> =>
    viewer && !viewer.admin
      ? eb.and([eb('namespaces.visibility', 'not in', openTo(viewer)), groupsOfUser(viewer.id)(eb)])
      : sql<SqlBool>`1 = 0`
}

/** Visibility levels of the projects and groups that the viewer can see without being a member; null for all. */
export function visibilitiesOpenTo(viewer: Viewer): Visibility[] | null {
  return viewer?.admin ? null : openTo(viewer)
}

/**
 * Projects that the user is a member of with at least this level: directly, through a group above or a shared group, or as owner of the
 * namespace. Memberships are computed once per query, not per row.
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

/** Ids of `projectsOfMember`, for queries that expect few: with the other form, both engines examine every project. */
function idsOfMember(eb: InProjects, userId: number, minLevel: number = accessLevels.guest) {
  return (eb as ExpressionBuilder<Tables, never>)
    .selectFrom('projects as own_projects')
    .select('own_projects.id as project_id')
    .where('own_projects.namespace_id', 'in', namespacesOfMember(eb, userId, minLevel))
    .unionAll(projectsJoinedBy(eb, userId, minLevel))
}

/**
 * Groups that the viewer can see: open ones, those above, at or below one of their memberships, those shared with one of their groups, and
 * those below and above what is shared. For a query over `namespaces`.
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

/** Groups that the user is a member of with at least this level: directly, through a group above, or through a share. */
export function groupsOfMember(userId: number, minLevel: number = accessLevels.guest) {
  return (eb: InNamespaces): Expression<SqlBool> => eb('namespaces.id', 'in', groupsJoinedBy(eb, userId, minLevel))
}

/** Groups at, below or above a membership of the user, or above what is shared with one of their groups. */
export function groupsOfUser(userId: number) {
  return (eb: InNamespaces): Expression<SqlBool> =>
    eb('namespaces.id', 'in', groupsJoinedBy(eb, userId, accessLevels.guest).unionAll(groupsAbove(eb, userId)))
}
