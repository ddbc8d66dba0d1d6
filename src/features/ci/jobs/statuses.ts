/** The statuses that lists of jobs are filtered by. */
import type { PipelineStatus } from '../../../db/tables.ts'

export const jobStatuses = [
  'created',
  'waiting_for_resource',
  'pending',
  'running',
  'failed',
  'success',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
] as const satisfies PipelineStatus[]
