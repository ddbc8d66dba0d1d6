/** SQL for test reports: the JUnit files of a pipeline. */
import type { Db } from '../../../db/database.ts'
import type { CiArtifact } from '../../../db/tables.ts'

/** The reports of current jobs, by the name of the job: one statement. */
export function junitOfPipeline(db: Db, pipeline_id: number): Promise<(CiArtifact & { job_name: string })[]> {
  return db
    .selectFrom('ci_artifacts')
    .innerJoin('commit_statuses', 'commit_statuses.id', 'ci_artifacts.job_id')
    .selectAll('ci_artifacts')
    .select('commit_statuses.name as job_name')
    .where('commit_statuses.pipeline_id', '=', pipeline_id)
    .where('commit_statuses.retried', '=', false)
    .where('ci_artifacts.file_type', '=', 'junit')
    .orderBy('commit_statuses.name')
    .orderBy('ci_artifacts.id')
    .execute()
}
