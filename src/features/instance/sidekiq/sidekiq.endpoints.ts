/** Figures of the job queue, in the format and with the names that clients know. */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { Instant, resource } from '../../../http/parameters/schema.ts'
import { queueFigures } from '../../../queue/figures.ts'
import { presentJobs, presentProcesses, presentQueues } from './sidekiq.present.ts'

const queues = Type.Record(
  Type.String(),
  resource('QueueMetrics', {
    backlog: Type.Integer({ description: 'Jobs that are due and wait' }),
    latency: Type.Integer({ description: 'How long the first of them has waited, in seconds' }),
  }),
)

const processes = Type.Array(
  resource('ProcessMetrics', {
    hostname: Type.String(),
    pid: Type.Integer(),
    tag: Type.String(),
    started_at: Instant,
    queues: Type.Array(Type.String()),
    labels: Type.Array(Type.String()),
    concurrency: Type.Integer(),
    busy: Type.Integer({ description: 'Jobs under way' }),
  }),
)

const jobs = resource('JobStats', {
  processed: Type.Integer({ description: 'Attempts so far, failed ones included' }),
  failed: Type.Integer(),
  enqueued: Type.Integer({ description: 'Jobs that wait' }),
  dead: Type.Integer({ description: 'Jobs that failed for good' }),
})

export const queueMetrics = [
  endpoint('GET /sidekiq/queue_metrics', {
    summary: 'Get the queues of the background jobs: one for each kind of job',
    access: administrator(),
    reply: resource('QueueMetricsReply', { queues }),
    handle: async ({ app }) => ({ queues: presentQueues(await queueFigures(app.db)) }),
  }),
  endpoint('GET /sidekiq/process_metrics', {
    summary: 'Get the processes that run background jobs',
    access: administrator(),
    reply: resource('ProcessMetricsReply', { processes }),
    handle: async ({ app }) => ({ processes: presentProcesses(await queueFigures(app.db)) }),
  }),
  endpoint('GET /sidekiq/job_stats', {
    summary: 'Get the numbers of background jobs',
    access: administrator(),
    reply: resource('JobStatsReply', { jobs }),
    handle: async ({ app }) => ({ jobs: presentJobs(await queueFigures(app.db)) }),
  }),
  endpoint('GET /sidekiq/compound_metrics', {
    summary: 'Get all figures of the background jobs',
    access: administrator(),
    reply: resource('CompoundMetrics', { queues, processes, jobs }),
    async handle({ app }) {
      const figures = await queueFigures(app.db)
      return { queues: presentQueues(figures), processes: presentProcesses(figures), jobs: presentJobs(figures) }
    },
  }),
]
