/** Messages between the processes of a server: requests of workers, and commands of the primary. */
import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { ConcurrencyLimits, Refusal } from '../limits/concurrency.ts'
import type { CountedClient, Throttle, ThrottleName } from '../limits/throttles.ts'

/** The reply to each kind of request. */
export interface Answers {
  /** The first request of a worker: whether it is the first of this start, which prepares the data folder for the others. */
  join: { isFirst: boolean }
  /** A slot of a shared limiter; it is released by the id of the request. */
  slot: 'granted' | Refusal
  /** The lock for writes to SQLite; released in the same way. */
  lock: 'granted'
  /** Number of requests with this key to all workers in the window. */
  count: number
  /** The clients beyond a limit, counted over all workers. */
  above: CountedClient[]
  /** The metrics of every worker that answers in time. */
  metrics: Metrics[]
}

export type WorkerRequest =
  | { request: 'join' }
  | { request: 'slot'; limiter: string; limits: ConcurrencyLimits; key: string }
  | { request: 'lock' }
  | { request: 'count'; name: ThrottleName; key: string; period_s: number }
  | { request: 'above'; name: ThrottleName; rule: Throttle }
  | { request: 'metrics' }

export type Metrics = Array<MetricObjectWithValues<MetricValue<string>>>

export type FromWorker =
  | (WorkerRequest & { id: number })
  /** Releases what the request with this id was granted. */
  | { notify: 'release'; id: number }
  /** Sent when the worker listens. */
  | { notify: 'ready' }
  /** There is work in this lane of the queue; for the process that runs it. */
  | { notify: 'enqueued'; lane: string }
  /** Answers a ping, which shows that the event loop runs. */
  | { notify: 'pong'; id: number }
  | { notify: 'metrics'; id: number; metrics: Metrics }

export type ToWorker =
  | { notify: 'answer'; id: number; answer: Answers[WorkerRequest['request']] }
  | { notify: 'collect'; id: number }
  | { notify: 'ping'; id: number }
  /** Run the queue from now on; sent to one process. */
  | { notify: 'work' }
  /** Another process has committed a job. */
  | { notify: 'enqueued'; lane: string }
  | { notify: 'stop' }
