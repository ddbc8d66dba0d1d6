/** Domain events: a feature publishes in its transaction what happened; the table of subscribers says what follows from it. */
import type { Tx } from '../db/database.ts'
import { type AnyJob, type EnqueueOptions, enqueue, type Job } from '../queue/queue.ts'
import type { DomainEvent, EventOf, EventType } from './events.ts'

/** Facts about this server that subscribers need besides the database. */
export interface Site {
  /** Its URL, without a trailing slash. */
  url: string
  /** The mailer; null if no mail is sent. */
  mail: object | null
}

/** A reaction to an event. */
export type Reaction<E = DomainEvent> =
  /** For effects that the next reader must see: runs before the publisher's transaction ends. */
  | { kind: 'in transaction'; react: (tx: Tx, event: E, site: Site) => Promise<void> }
  /** For effects that may wait, or involve other machines: a job, enqueued only if the transaction commits. */
  | { kind: 'enqueued'; job: AnyJob; payloadOf: (event: E) => unknown; options: EnqueueOptions }

/** The reactions to each type of event, in the order in which they are called. */
export type Subscribers = { readonly [T in EventType]?: ReadonlyArray<Reaction<EventOf<T>>> }

/** Runs `react` in the publisher's transaction. It must await only the database, and must bear being called twice. */
export function inSameTransaction<E>(react: (tx: Tx, event: E, site: Site) => Promise<void>): Reaction<E> {
  return { kind: 'in transaction', react }
}

/** Enqueues the job in the publisher's transaction, unless `payloadOf` returns null. */
export function enqueued<E, P>(
  job: Job<P>,
  payloadOf: (event: E) => P | null,
  options: Pick<EnqueueOptions, 'delay_ms'> = {},
): Reaction<E> {
  return { kind: 'enqueued', job, payloadOf, options }
}

/** Merges several tables: reactions of earlier ones come first. */
export function joined(...tables: Subscribers[]): Subscribers {
  const all: Partial<Record<EventType, Reaction[]>> = {}
  for (const table of tables) for (const type of typesOf(table)) all[type] = [...(all[type] ?? []), ...reactionsTo(table, type)]
  return all as Subscribers
}

/** The types of events that have subscribers. */
export function typesOf(subscribers: Subscribers): EventType[] {
  return Object.keys(subscribers) as EventType[]
}

/** The reactions to events of this type. */
export function reactionsTo(subscribers: Subscribers, type: EventType): readonly Reaction[] {
  // Each reaction is listed under the type of the events it takes.
  return (subscribers[type] ?? []) as readonly Reaction[]
}

/** Null until the process is assembled. */
let connected: { subscribers: Subscribers; site: Site } | null = null

/** Connects the subscribers of this process, replacing earlier ones. Returns a function that restores those, for tests. */
export function connectSubscribers(subscribers: Subscribers, site: Site = connected?.site ?? { url: '', mail: null }): () => void {
  const before = connected
  connected = { subscribers, site }
  return () => {
    connected = before
  }
}

/** Calls the subscribers in the order of their table. An exception in one of them fails the transaction. */
export async function publish(tx: Tx, event: DomainEvent): Promise<void> {
  // Without its subscribers, a process would silently lose what follows from events.
  if (!connected) throw new Error(`domain events: ${event.type} published before the subscribers were connected`)
  const { subscribers, site } = connected
  for (const reaction of reactionsTo(subscribers, event.type)) await call(tx, reaction, event, site)
}

async function call(tx: Tx, reaction: Reaction, event: DomainEvent, site: Site): Promise<void> {
  if (reaction.kind === 'in transaction') return reaction.react(tx, event, site)
  const payload = reaction.payloadOf(event)
  if (payload !== null) await enqueue(tx, reaction.job, payload, reaction.options)
}
