/** What the processes of one server say to each other: workers ask the primary, which tells them when to work and to stop. */
import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { ConcurrencyLimits, Refusal } from '../limits/concurrency.ts'

/** What each kind of question is answered with. */
export interface Answers {
  /** The first word of a worker: whether it is the first of this start, which prepares the data folder for the others. */
  join: { isFirst: boolean }
  /** A place of a limiter that all share; it is released by the number of the question. */
  place: 'granted' | Refusal
  /** The lock on writing to SQLite; released in the same way. */
  lock: 'granted'
  /** The metrics of every worker that answers in time. */
  metrics: Metrics[]
}

export type Question =
  | { ask: 'join' }
  | { ask: 'place'; limiter: string; limits: ConcurrencyLimits; key: string }
  | { ask: 'lock' }
  | { ask: 'metrics' }

export type Metrics = Array<MetricObjectWithValues<MetricValue<string>>>

export type FromWorker =
  | (Question & { id: number })
  /** Gives back what was granted by the question of this number. */
  | { tell: 'release'; id: number }
  /** It listens. */
  | { tell: 'ready' }
  /** Answers a ping: its event loop turns. */
  | { tell: 'pong'; id: number }
  | { tell: 'metrics'; id: number; metrics: Metrics }

export type ToWorker =
  | { tell: 'answer'; id: number; answer: Answers[Question['ask']] }
  | { tell: 'collect'; id: number }
  | { tell: 'ping'; id: number }
  /** Works off the queue from now on: one process of them does. */
  | { tell: 'work' }
  | { tell: 'stop' }
