/** Everything that can happen: one union, a file for each family. */
import type { ProjectEvent } from './project-events.ts'
import type { PushEvent } from './push-events.ts'

export type DomainEvent = PushEvent | ProjectEvent

export type EventType = DomainEvent['type']

/** The event of this type, with what it carries. */
export type EventOf<T extends EventType> = Extract<DomainEvent, { type: T }>
