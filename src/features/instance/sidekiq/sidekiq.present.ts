/** Figures of the job queue as clients know them. */
import type { QueueFigures } from '../../../queue/figures.ts'
import { slots } from '../../../queue/worker.ts'

export function presentQueues({ queues }: QueueFigures): Record<string, { backlog: number; latency: number }> {
  return Object.fromEntries(queues.map(({ name, backlog, latency_s }) => [name, { backlog, latency: latency_s }]))
}

export function presentProcesses({ workers, queues }: QueueFigures) {
  const names = queues.map(({ name }) => name)
  return workers.map(({ hostname, pid, started_at, busy }) => ({
    hostname,
    pid,
    tag: 'gitstead',
    started_at,
    queues: names,
    labels: [],
    concurrency: slots.length,
    busy,
  }))
}

export function presentJobs({ totals, counts }: QueueFigures) {
  return { processed: totals.processed, failed: totals.failed, enqueued: counts.waiting, dead: counts.dead }
}
