/** SQL for reports of runners. */
import type { Db } from '../../../db/database.ts'
import type { Instant } from '../../../db/tables.ts'

/** Records that the runner of a job was heard from. */
export async function touchJob(db: Db, id: number, at: Instant): Promise<void> {
  await db.updateTable('commit_statuses').set({ updated_at: at }).where('id', '=', id).where('status', '=', 'running').execute()
}

/** Bytes and checksum of the trace as received, before masking. */
export async function receivedTrace(db: Db, job_id: number): Promise<{ length: number; checksum: string }> {
  const found = await db.selectFrom('ci_traces').select(['length', 'crc32']).where('job_id', '=', job_id).executeTakeFirst()
  const { length, crc32 } = found ?? { length: 0, crc32: 0 }
  return { length, checksum: `crc32:${crc32.toString(16).padStart(8, '0')}` }
}

/** How jobs of a project report their coverage, unless a job defines it. */
export async function coveragePatternOf(db: Db, project_id: number): Promise<string | null> {
  const row = await db.selectFrom('projects').select('build_coverage_regex').where('id', '=', project_id).executeTakeFirst()
  return row?.build_coverage_regex ?? null
}
