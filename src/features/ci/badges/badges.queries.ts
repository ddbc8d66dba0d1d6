/** SQL for badges of pipelines. */
import type { Db } from '../../../db/database.ts'
import { prepared } from '../../../db/prepared-queries.ts'

/** The newest pipeline of this commit on this ref. */
export const statusOfRef = prepared((db: Db, project_id: number, ref: string, sha: string) =>
  db
    .selectFrom('pipelines')
    .select('status')
    .where('project_id', '=', project_id)
    .where('ref', '=', ref)
    .where('sha', '=', sha)
    .where('source', '<>', 'parent_pipeline')
    .orderBy('id', 'desc')
    .limit(1),
)

/** The newest pipeline of the ref that succeeded. */
export const succeededOfRef = prepared((db: Db, project_id: number, ref: string) =>
  db
    .selectFrom('pipelines')
    .select(['id', 'coverage'])
    .where('project_id', '=', project_id)
    .where('ref', '=', ref)
    .where('status', '=', 'success')
    .where('source', '<>', 'parent_pipeline')
    .orderBy('id', 'desc')
    .limit(1),
)

export const coverageOfJob = prepared((db: Db, pipeline_id: number, name: string) =>
  db
    .selectFrom('commit_statuses')
    .select('coverage')
    .where('pipeline_id', '=', pipeline_id)
    .where('name', '=', name)
    .where('retried', '=', false)
    .limit(1),
)
