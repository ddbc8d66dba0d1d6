/** SQL for what runners report. */
import type { Db } from '../../../db/database.ts'
import type { Instant } from '../../../db/tables.ts'

/** Notes that the runner of a job was heard of. */
export async function touchJob(db: Db, id: number, at: Instant): Promise<void> {
  await db.updateTable('commit_statuses').set({ updated_at: at }).where('id', '=', id).where('status', '=', 'running').execute()
}

/** Bytes of the trace that have arrived. */
export async function traceLength(db: Db, job_id: number): Promise<number> {
  return (await db.selectFrom('ci_traces').select('length').where('job_id', '=', job_id).executeTakeFirst())?.length ?? 0
}

/** How jobs of a project tell their coverage, unless they say it themselves. */
export async function coveragePatternOf(db: Db, project_id: number): Promise<string | null> {
  const row = await db.selectFrom('projects').select('build_coverage_regex').where('id', '=', project_id).executeTakeFirst()
  return row?.build_coverage_regex ?? null
}
