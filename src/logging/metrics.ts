/** Metrics of the process, in the format of Prometheus. */
import { type StatsFs, statfsSync } from 'node:fs'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Member } from '../processes/member.ts'

export interface Metrics {
  registry: Registry
  requests: Histogram<'method' | 'route' | 'status'>
  /** How long requests waited that could not start at once. */
  requestsWaited: Histogram
  /** Requests answered with 503 because too many waited. */
  requestsRefused: Counter
  /** Requests answered with 429 by the `throttle_*` settings. */
  requestsThrottled: Counter<'throttle'>
  /** HTTP connections answered with 503 because there were too many. */
  connectionsRefused: Counter
  /** Git processes started, by their subcommand. */
  gitProcesses: Counter<'command'>
  /** Failures that no caller received, by where they were caught. Anything but `background` is a bug. */
  strayFailures: Counter<'origin'>
  /** Jobs of the queue by state, updated each minute by the process that runs the queue. */
  jobs: Gauge<'state'>
  jobsRun: Counter<'job' | 'outcome'>
  /** Consecutive failed checks of the repository storage, in the process that runs the queue. */
  storageFailures: Gauge
  /** Lines of the log that could not be written. */
  logLinesDropped: Counter
  /** Open SSH connections. */
  sshConnections: Gauge
  /** SSH connections that were refused because of a limit. */
  sshRefused: Counter
}

/** In the format of Prometheus, for all processes of the server together. */
export async function readMetrics({ registry }: Metrics, member: Member | null): Promise<string> {
  if (!member) return registry.metrics()
  return AggregatorRegistry.aggregate(await member.collectMetrics()).metrics()
}

/** @param home the data folder, whose disk is measured with each reading */
export function openMetrics(home: string): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'gitstead_' })
  new Gauge({ name: 'gitstead_processes', help: 'Processes that serve', registers: [registry] }).set(1)
  measureDisk(registry, home)
  return {
    registry,
    requests: new Histogram({
      name: 'gitstead_http_request_seconds',
      help: 'Time to answer a request, by its route',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10],
      registers: [registry],
    }),
    requestsWaited: new Histogram({
      name: 'gitstead_http_request_wait_seconds',
      help: 'Time in the queue of requests that were not started at once',
      buckets: [0.005, 0.025, 0.1, 0.5, 2, 10],
      registers: [registry],
    }),
    requestsRefused: new Counter({
      name: 'gitstead_http_requests_refused_total',
      help: 'Requests refused because too many waited',
      registers: [registry],
    }),
    requestsThrottled: new Counter({
      name: 'gitstead_http_requests_throttled_total',
      help: 'Requests refused by the throttle settings',
      labelNames: ['throttle'],
      registers: [registry],
    }),
    connectionsRefused: new Counter({
      name: 'gitstead_http_connections_refused_total',
      help: 'HTTP connections refused because there were too many, in all or of one address',
      registers: [registry],
    }),
    gitProcesses: new Counter({
      name: 'gitstead_git_processes_total',
      help: 'Git processes started',
      labelNames: ['command'],
      registers: [registry],
    }),
    strayFailures: new Counter({
      name: 'gitstead_stray_failures_total',
      help: 'Failures that no caller waited for; unhandled_rejection and uncaught_exception are bugs',
      labelNames: ['origin'],
      registers: [registry],
    }),
    jobs: new Gauge({
      name: 'gitstead_jobs',
      help: 'Background jobs, by state: waiting, running, dead',
      labelNames: ['state'],
      registers: [registry],
    }),
    jobsRun: new Counter({
      name: 'gitstead_jobs_run_total',
      help: 'Attempts of background jobs, by outcome: done, failed, stopped',
      labelNames: ['job', 'outcome'],
      registers: [registry],
    }),
    storageFailures: new Gauge({
      name: 'gitstead_storage_failures',
      help: 'Failed checks of the repository storage since the last that succeeded',
      registers: [registry],
    }),
    logLinesDropped: new Counter({
      name: 'gitstead_log_lines_dropped_total',
      help: 'Lines of the log that could not be written',
      registers: [registry],
    }),
    sshConnections: new Gauge({ name: 'gitstead_ssh_connections', help: 'Connections by SSH that are open', registers: [registry] }),
    sshRefused: new Counter({
      name: 'gitstead_ssh_connections_refused_total',
      help: 'Connections by SSH there was no room for',
      registers: [registry],
    }),
  }
}

/** All processes measure the same disk, so only one of the values is used. */
function measureDisk(registry: Registry, home: string): void {
  const sizes = { free: ({ bavail, bsize }: StatsFs) => bavail * bsize, total: ({ blocks, bsize }: StatsFs) => blocks * bsize }
  for (const [what, sizeOf] of Object.entries(sizes)) {
    new Gauge({
      name: `gitstead_disk_${what}_bytes`,
      help: `Disk of the data folder: ${what} space`,
      registers: [registry],
      aggregator: 'min',
      collect() {
        try {
          this.set(sizeOf(statfsSync(home)))
        } catch {
          // If the disk can't be measured, there is no value; the storage check logs the reason.
        }
      },
    })
  }
}
