/** Domain events: a feature publishes what happened, in its transaction; the subscribers' table names what follows from it. */
import type { Tx } from '../db/database.ts'
import { type AnyJob, type EnqueueOptions, enqueue, type Job } from '../queue/queue.ts'
import type { DomainEvent, EventOf, EventType } from './events.ts'

/** What subscribers may need of this server besides the database. */
export interface Site {
  /** Its address, without a slash at its end. */
  url: string
}

/** What follows from one type of event. */
export type Subscriber =
  /** What the next reader must see: done before the transaction of the publisher ends. */
  | { kind: 'in transaction'; type: EventType; react: (tx: Tx, event: DomainEvent, site: Site) => Promise<void> }
  /** What may wait, or leaves the machine: a job, which is there when, and only when, the transaction is committed. */
  | { kind: 'enqueued'; type: EventType; job: AnyJob; payloadOf: (event: DomainEvent) => unknown; options: EnqueueOptions }

/** Runs `react` in the transaction of the publisher. It awaits nothing but the database, and must bear being called twice. */
export function inSameTransaction<T extends EventType>(
  type: T,
  react: (tx: Tx, event: EventOf<T>, site: Site) => Promise<void>,
): Subscriber {
  return { kind: 'in transaction', type, react: (tx, event, site) => react(tx, event as EventOf<T>, site) }
}

/** Enqueues the job in the transaction of the publisher; none where `payloadOf` returns null. */
export function enqueued<T extends EventType, P>(
  type: T,
  job: Job<P>,
  payloadOf: (event: EventOf<T>) => P | null,
  options: Pick<EnqueueOptions, 'delay_ms'> = {},
): Subscriber {
  return { kind: 'enqueued', type, job, payloadOf: (event) => payloadOf(event as EventOf<T>), options }
}

/** Null until the process is put together. */
let connected: { subscribers: Subscriber[]; site: Site } | null = null

/** Connects the subscribers of this process, in place of others. Returns a function that puts the others back, for tests. */
export function connectSubscribers(subscribers: Subscriber[], site: Site = connected?.site ?? { url: '' }): () => void {
  const before = connected
  connected = { subscribers, site }
  return () => {
    connected = before
  }
}

/** Calls the subscribers in the order of their table. What one of them throws fails the transaction. */
export async function publish(tx: Tx, event: DomainEvent): Promise<void> {
  // Without its subscribers a process would lose what follows from an event, and nobody would notice.
  if (!connected) throw new Error(`domain events: ${event.type} published before the subscribers were connected`)
  const { subscribers, site } = connected
  for (const subscriber of subscribers) if (subscriber.type === event.type) await call(tx, subscriber, event, site)
}

async function call(tx: Tx, subscriber: Subscriber, event: DomainEvent, site: Site): Promise<void> {
  if (subscriber.kind === 'in transaction') return subscriber.react(tx, event, site)
  const payload = subscriber.payloadOf(event)
  if (payload !== null) await enqueue(tx, subscriber.job, payload, subscriber.options)
}
