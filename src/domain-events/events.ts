/** Everything that can happen: one union, a file for each family. */
import type { GroupTransferred } from './group-events.ts'
import type { IssueEvent } from './issue-events.ts'
import type { MemberEvent } from './member-events.ts'
import type { MergeRequestEvent } from './merge-request-events.ts'
import type { MilestoneEvent } from './milestone-events.ts'
import type { NoteEvent } from './note-events.ts'
import type { ProjectEvent } from './project-events.ts'
import type { PushDropped, RefsPushed } from './push-events.ts'
import type { SettingsChanged } from './settings-events.ts'
import type { UserEvent } from './user-events.ts'

export type DomainEvent =
  | RefsPushed
  | PushDropped
  | ProjectEvent
  | GroupTransferred
  | MemberEvent
  | UserEvent
  | SettingsChanged
  | IssueEvent
  | MergeRequestEvent
  | NoteEvent
  | MilestoneEvent

export type EventType = DomainEvent['type']

/** The event of this type, with what it carries. */
export type EventOf<T extends EventType> = Extract<DomainEvent, { type: T }>
