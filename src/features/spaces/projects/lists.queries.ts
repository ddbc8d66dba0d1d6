/** SQL for lists of projects. */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { type LocatedProject, locatedProjects } from '../../../access/find.ts'
import { accessLevels } from '../../../access/levels.ts'
import { notExpired } from '../../../access/members.ts'
import { projectsOfMember, projectsOnlyForMember, projectsVisibleTo, visibilitiesOpenTo } from '../../../access/visible.ts'
import { contains, type Db, type Found, type PageOf } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'
import { pageByKeyset } from '../../../db/keyset.ts'
import { directed, pageOfList } from '../../../db/list-cache.ts'
import { totalByCounts, valueIn } from '../../../db/list-counts.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import { countFound, mayHave, wordsOf } from '../../../db/search.ts'
import type { Tables, User, Visibility } from '../../../db/tables.ts'
import { matchesAttributes } from '../../instance/custom-attributes/custom-attributes.ts'
import { topicsOf } from './projects.columns.ts'

/** The filters and the order of a list. */
export interface ProjectFilter {
  archived?: boolean | undefined
  visibility?: Visibility | undefined
  search?: string | undefined
  owned?: boolean | undefined
  membership?: boolean | undefined
  starred?: boolean | undefined
  min_access_level?: number | undefined
  with_issues_enabled?: boolean | undefined
  with_merge_requests_enabled?: boolean | undefined
  custom_attributes?: Record<string, string> | undefined
  /** Names of topics, separated by commas: only projects that have all of them. */
  topic?: string | undefined
  topic_id?: number | undefined
  id_after?: number | undefined
  id_before?: number | undefined
  last_activity_after?: string | undefined
  last_activity_before?: string | undefined
  order_by: 'id' | 'name' | 'path' | 'created_at' | 'updated_at' | 'last_activity_at' | 'star_count'
  sort: 'asc' | 'desc'
}

/** The set of projects to list; all by default. */
export interface Within {
  /** Only projects of this user's own namespace. */
  owner_id?: number
  /** Only projects directly in this group. */
  group_id?: number
  /** Only projects in this group or below it. */
  ancestor_id?: number
  /** Projects that are shared with this group; in addition to `group_id`, if both are given. */
  shared_with_id?: number
  forked_from_id?: number
  /** Projects to which this user has pushed, or whose commits they have commented on. */
  contributor_id?: number
  /** Projects that this user has starred. */
  starred_by_id?: number
  /** Projects that this user shows first on their profile. */
  pinned_by_id?: number
}

/** The projects that the viewer can see, filtered: a fixed number of statements, regardless of their number. */
export async function listProjects(
  db: Db,
  viewer: User | null,
  filter: ProjectFilter,
  within: Within,
  page: PageOf,
): Promise<Found<LocatedProject>> {
  const all = db.selectFrom('projects').where(projectsVisibleTo(viewer))
  let query = Object.keys(within).length > 0 ? all.where(isWithin(within)) : all
  const further = furtherConditions(filter)
  if (further.length > 0) query = query.where((eb) => eb.and(further.map((condition) => condition(eb))))
  const minLevel = Math.max(filter.owned ? accessLevels.owner : 0, filter.membership ? accessLevels.guest : 0, filter.min_access_level ?? 0)
  // Without a user, there are no memberships.
  if (minLevel > 0) query = query.where(projectsOfMember(viewer ?? { id: 0 }, minLevel))
  if (filter.starred && viewer) query = query.where('projects.id', 'in', starredBy(db, viewer.id))
  const words = wordsOf(filter.search ?? '')
  if (words.length > 0) query = query.where(haveAll(words))
  if (filter.archived !== undefined) query = query.where('projects.archived', '=', filter.archived)
  if (filter.visibility) query = query.where('projects.visibility', '=', filter.visibility)
  if (filter.custom_attributes) query = query.where(matchesAttributes('project', filter.custom_attributes, viewer))
  const hint = mayHave(db, 'projects', words)
  if (page.keyset) return pageByKeyset(db, hint ? query.where(hint) : query, 'projects', page, projectsById)
  const { total, found } = query === all ? { total: await countAll(db, viewer), found: all } : await countFound(db, query, hint)
  if (total <= page.offset) return { rows: [], total }
  const ids = (isReversed: boolean) => {
    const sort = directed(filter.sort, isReversed)
    return found.select('projects.id').orderBy(`projects.${filter.order_by}`, sort).orderBy('projects.id', sort)
  }
  // The place of a project is only looked up for the projects on the page.
  return { rows: await pageOfList(db, ids, { ...page, total }, projectsById), total }
}

/** The number of projects that the viewer can see. */
function countAll(db: Db, viewer: User | null): Promise<number> {
  const open = { table: 'projects', condition: valueIn(visibilitiesOpenTo(viewer)) } as const
  return totalByCounts(db, open, db.selectFrom('projects').where(projectsOnlyForMember(viewer)))
}

const projectsById = prepared((db: Db, ids: readonly number[]) => locatedProjects(db).where(among(db, 'projects.id', ids)))

type InProjects = ExpressionBuilder<Tables, 'projects'>

/** Adds a condition for each filter that was sent. */
function furtherConditions(filter: ProjectFilter): Array<(eb: InProjects) => Expression<SqlBool>> {
  const { id_after, id_before, last_activity_after, last_activity_before, topic, topic_id } = filter
  const isNamed = (name: string) => (eb: InProjects) =>
    eb('projects.id', 'in', havingTopic(eb).where('topics.name_key', '=', name.toLowerCase()))
  const conditions: Array<false | ((eb: InProjects) => Expression<SqlBool>)> = [
    filter.with_issues_enabled === true && ((eb) => eb('projects.issues_access_level', '!=', 'disabled')),
    filter.with_merge_requests_enabled === true && ((eb) => eb('projects.merge_requests_access_level', '!=', 'disabled')),
    id_after !== undefined && ((eb) => eb('projects.id', '>', id_after)),
    id_before !== undefined && ((eb) => eb('projects.id', '<', id_before)),
    last_activity_after !== undefined && ((eb) => eb('projects.last_activity_at', '>', last_activity_after)),
    last_activity_before !== undefined && ((eb) => eb('projects.last_activity_at', '<', last_activity_before)),
    topic_id !== undefined && ((eb) => eb('projects.id', 'in', havingTopic(eb).where('project_topics.topic_id', '=', topic_id))),
    ...topicsOf([topic ?? '']).map(isNamed),
  ]
  return conditions.filter((condition) => condition !== false)
}

function havingTopic(eb: InProjects) {
  return eb.selectFrom('project_topics').innerJoin('topics', 'topics.id', 'project_topics.topic_id').select('project_topics.project_id')
}

function isWithin(within: Within) {
  const { owner_id, group_id, ancestor_id, shared_with_id, forked_from_id, contributor_id, starred_by_id, pinned_by_id } = within
  return (eb: InProjects) => {
    const inGroup = [
      ...(ancestor_id === undefined ? [] : [eb('projects.namespace_id', 'in', namespacesBelow(eb, ancestor_id))]),
      ...(group_id === undefined ? [] : [eb('projects.namespace_id', '=', group_id)]),
      ...(shared_with_id === undefined ? [] : [eb('projects.id', 'in', sharedWith(eb, shared_with_id))]),
    ]
    return eb.and([
      ...(inGroup.length > 0 ? [eb.or(inGroup)] : []),
      ...(owner_id === undefined ? [] : [eb('projects.namespace_id', 'in', ownNamespaceOf(eb, owner_id))]),
      ...(forked_from_id === undefined ? [] : [eb('projects.forked_from_id', '=', forked_from_id)]),
      ...(contributor_id === undefined ? [] : [eb('projects.id', 'in', contributedTo(eb, contributor_id))]),
      ...(starred_by_id === undefined ? [] : [eb('projects.id', 'in', starsOf(eb, starred_by_id))]),
      ...(pinned_by_id === undefined ? [] : [eb('projects.id', 'in', pinnedBy(eb, pinned_by_id))]),
    ])
  }
}

function contributedTo(eb: InProjects, userId: number) {
  return eb
    .selectFrom('events')
    .select((event) => event.ref('events.project_id').$notNull().as('project_id'))
    .where('events.author_id', '=', userId)
    .where('events.action', 'in', ['pushed', 'commented'])
    .where('events.project_id', 'is not', null)
}

function starsOf(eb: InProjects, userId: number) {
  return eb.selectFrom('project_stars').select('project_stars.project_id').where('project_stars.user_id', '=', userId)
}

function pinnedBy(eb: InProjects, userId: number) {
  return eb.selectFrom('pinned_projects').select('pinned_projects.project_id').where('pinned_projects.user_id', '=', userId)
}

function namespacesBelow(eb: InProjects, groupId: number) {
  return eb
    .selectFrom('namespace_ancestors')
    .select('namespace_ancestors.namespace_id')
    .where('namespace_ancestors.ancestor_id', '=', groupId)
}

function sharedWith(eb: InProjects, groupId: number) {
  return eb
    .selectFrom('group_shares')
    .select((share) => share.ref('group_shares.project_id').$notNull().as('project_id'))
    .where('group_shares.project_id', 'is not', null)
    .where('group_shares.group_id', '=', groupId)
    .where(notExpired(today(), 'group_shares'))
}

function ownNamespaceOf(eb: InProjects, userId: number) {
  return eb.selectFrom('namespaces as own').select('own.id').where('own.owner_id', '=', userId)
}

function starredBy(db: Db, userId: number) {
  return db.selectFrom('project_stars').select('project_stars.project_id').where('project_stars.user_id', '=', userId)
}

/** Every word is in one of the three texts; quoted words must be adjacent. */
function haveAll(words: string[]) {
  return (eb: InProjects) =>
    eb.or(['name', 'path', 'description'].map((column) => eb.and(words.map((word) => contains(`projects.${column}`, word)))))
}
