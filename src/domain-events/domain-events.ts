/** Domain events: a feature publishes what happened, in its transaction; the subscribers' table names what follows from it. */
import type { Tx } from '../db/database.ts'
import { type EnqueueOptions, enqueue, type Job } from '../queue/queue.ts'
import type { DomainEvent, EventOf, EventType } from './events.ts'

/** What follows from one type of event. */
export interface Subscriber {
  type: EventType
  /** In the transaction: what the next reader must see. Enqueued: what may wait, or leaves the machine. */
  kind: 'in transaction' | 'enqueued'
  react: (tx: Tx, event: DomainEvent) => Promise<void>
}

/** Runs `react` in the publisher's transaction. It awaits nothing but the database, and must bear being called twice. */
export function inSameTransaction<T extends EventType>(type: T, react: (tx: Tx, event: EventOf<T>) => Promise<void>): Subscriber {
  return { type, kind: 'in transaction', react: (tx, event) => react(tx, event as EventOf<T>) }
}

/** Enqueues the job in the publisher's transaction; none where `payloadOf` returns null. */
export function enqueued<T extends EventType, P>(
  type: T,
  job: Job<P>,
  payloadOf: (event: EventOf<T>) => P | null,
  options?: Pick<EnqueueOptions, 'delay_ms'>,
): Subscriber {
  return {
    type,
    kind: 'enqueued',
    async react(tx, event) {
      const payload = payloadOf(event as EventOf<T>)
      if (payload !== null) await enqueue(tx, job, payload, options)
    },
  }
}

/** Null until the process is put together. */
let connected: Subscriber[] | null = null

/** Connects the subscribers of this process, in place of others. Returns a function that puts the others back, for tests. */
export function connectSubscribers(subscribers: Subscriber[]): () => void {
  const before = connected
  connected = subscribers
  return () => {
    connected = before
  }
}

/** Tells the subscribers, in the order of their table. What one of them throws ends the transaction. */
export async function publish(tx: Tx, event: DomainEvent): Promise<void> {
  // Without its subscribers a process would lose what follows from an event, and nobody would notice.
  if (!connected) throw new Error(`domain events: ${event.type} published before the subscribers were connected`)
  for (const { type, react } of connected) if (type === event.type) await react(tx, event)
}
