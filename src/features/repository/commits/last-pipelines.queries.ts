/** The newest pipelines of commits, shown in lists of commits. */
import type { Db } from '../../../db/database.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { Pipeline } from '../../../db/tables.ts'

/** Child pipelines are represented by their parents. */
const ofParents = 'parent_pipeline'

const newestPipelineOf = prepared((db: Db, project_id: number, sha: string) =>
  db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('sha', '=', sha)
    .where('source', '<>', ofParents)
    .orderBy('id', 'desc')
    .limit(1),
)

/** The newest pipeline of a commit; null if it has no statuses. One statement. */
export async function lastPipelineOf(
  db: Db,
  projectId: number,
  sha: string,
): Promise<Pick<Pipeline, 'id' | 'ref' | 'sha' | 'status'> | null> {
  const [found] = await newestPipelineOf(db, projectId, sha)
  return found ? { id: found.id, ref: found.ref, sha: found.sha, status: found.status } : null
}

/** As `lastPipelineOf` for several commits, keyed by id. One statement; none for no commits. */
export async function lastPipelinesOf(
  db: Db,
  projectId: number,
  shas: readonly string[],
): Promise<Map<string, Pick<Pipeline, 'id' | 'status'>>> {
  if (shas.length === 0) return new Map()
  const found = await db
    .selectFrom('pipelines')
    .select(['id', 'sha', 'status'])
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('pipelines as newest')
        .select((of) => of.fn.max('newest.id').as('id'))
        .where('newest.project_id', '=', projectId)
        .where('newest.sha', 'in', shas)
        .where('newest.source', '<>', ofParents)
        .groupBy('newest.sha'),
    )
    .execute()
  return new Map(found.map(({ sha, id, status }) => [sha, { id, status }]))
}
