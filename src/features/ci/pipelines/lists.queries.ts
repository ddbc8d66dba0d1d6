/** SQL for lists of pipelines. */
import type { Db, Found, PageOf } from '../../../db/database.ts'
import { directed, pageOfList, totalOf } from '../../../db/list-cache.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import type { Instant, Pipeline, PipelineStatus } from '../../../db/tables.ts'

export interface PipelineFilter {
  scope?: 'running' | 'pending' | 'finished' | 'branches' | 'tags' | undefined
  /** A pipeline status; unknown ones match nothing. */
  status?: string | undefined
  source?: string | undefined
  ref?: string | undefined
  sha?: string | undefined
  yaml_errors?: boolean | undefined
  name?: string | undefined
  username?: string | undefined
  updated_after?: Instant | undefined
  updated_before?: Instant | undefined
  order_by: 'id' | 'status' | 'ref' | 'updated_at' | 'user_id'
  sort: 'asc' | 'desc'
}

const byScope: Record<'running' | 'pending' | 'finished', PipelineStatus[]> = {
  running: ['running'],
  pending: ['pending'],
  finished: ['success', 'failed', 'canceled'],
}

/**
 * One page of the pipelines of a project: at most three statements.
 * @param names existing branches or tags, for the scopes `branches` and `tags`, which show the newest pipeline of each
 */
export async function listPipelines(
  db: Db,
  project_id: number,
  filter: PipelineFilter,
  names: readonly string[] | null,
  page: PageOf,
): Promise<Found<Pipeline>> {
  const found = matching(db, project_id, filter, names)
  const total = await totalOf(db, found)
  if (total <= page.offset) return { rows: [], total }
  const ids = (isReversed: boolean) => {
    const direction = directed(filter.sort, isReversed)
    const ordered = filter.order_by === 'id' ? found : found.orderBy(`pipelines.${filter.order_by}`, direction)
    return ordered.orderBy('pipelines.id', direction).select('pipelines.id')
  }
  return { rows: await pageOfList(db, ids, { ...page, total }, pipelinesById), total }
}

function matching(db: Db, project_id: number, filter: PipelineFilter, names: readonly string[] | null) {
  const { scope, status, source, ref, sha, yaml_errors, name, username, updated_after, updated_before } = filter
  let query = db.selectFrom('pipelines').where('pipelines.project_id', '=', project_id)
  if (scope === 'branches' || scope === 'tags') query = query.where('pipelines.id', 'in', newestOfRefs(db, project_id, scope, names))
  else if (scope) query = query.where('pipelines.status', 'in', byScope[scope])
  if (status) query = query.where('pipelines.status', '=', status as PipelineStatus)
  // Child pipelines are shown with their parents.
  query = source ? query.where('pipelines.source', '=', source) : query.where('pipelines.source', '<>', 'parent_pipeline')
  if (ref) query = query.where('pipelines.ref', '=', ref)
  if (sha) query = query.where('pipelines.sha', '=', sha)
  if (yaml_errors !== undefined) query = query.where('pipelines.yaml_errors', yaml_errors ? 'is not' : 'is', null)
  if (updated_after) query = query.where('pipelines.updated_at', '>=', updated_after)
  if (updated_before) query = query.where('pipelines.updated_at', '<=', updated_before)
  if (name || username) {
    query = query.where('pipelines.user_id', 'in', (eb) => {
      let users = eb.selectFrom('users').select('users.id')
      if (name) users = users.where('users.name', '=', name)
      if (username) users = users.where('users.username', '=', username)
      return users
    })
  }
  return query
}

function newestOfRefs(db: Db, project_id: number, scope: 'branches' | 'tags', names: readonly string[] | null) {
  return db
    .selectFrom('pipelines as newest')
    .select((eb) => eb.fn.max('newest.id').as('id'))
    .where('newest.project_id', '=', project_id)
    .where('newest.tag', '=', scope === 'tags')
    .where('newest.source', '<>', 'parent_pipeline')
    .where(among(db, 'newest.ref', names ?? []))
    .groupBy('newest.ref')
}

const pipelinesById = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('pipelines')
    .selectAll()
    .where(among(db, 'id', ids)),
)
