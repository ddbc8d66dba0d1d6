/** All domain events: one union, with a file for each family. */
import type { CiEvent } from './ci-events.ts'
import type { GroupCreated, GroupRenamed, GroupTransferred, NamespaceRemoved } from './group-events.ts'
import type { IssueEvent } from './issue-events.ts'
import type { MemberEvent } from './member-events.ts'
import type { MergeRequestEvent } from './merge-request-events.ts'
import type { MilestoneEvent } from './milestone-events.ts'
import type { NoteEvent } from './note-events.ts'
import type { ProjectEvent } from './project-events.ts'
import type { PushDropped, RefsPushed } from './push-events.ts'
import type { ReleaseEvent } from './release-events.ts'
import type { SecurityEvent } from './security-events.ts'
import type { SettingsChanged } from './settings-events.ts'
import type { StatusEvent } from './status-events.ts'
import type { UserEvent } from './user-events.ts'
import type { WikiPushed } from './wiki-events.ts'

export type DomainEvent =
  | RefsPushed
  | PushDropped
  | WikiPushed
  | ProjectEvent
  | GroupCreated
  | GroupRenamed
  | GroupTransferred
  | NamespaceRemoved
  | MemberEvent
  | UserEvent
  | SecurityEvent
  | SettingsChanged
  | IssueEvent
  | MergeRequestEvent
  | NoteEvent
  | MilestoneEvent
  | ReleaseEvent
  | StatusEvent
  | CiEvent

export type EventType = DomainEvent['type']

/** The event of this type, with what it carries. */
export type EventOf<T extends EventType> = Extract<DomainEvent, { type: T }>
