/** Activity on a noteable that others may want mail about. */
import type { NoteableKey } from '../../../db/tables.ts'
import { nameOfKey } from '../../noteable-kinds.ts'
import type { NotificationSwitch } from '../../spaces/notification-settings/notification-settings.ts'

/** `mention`: a changed text mentions users that it did not mention before. */
export type Act = 'new' | 'note' | 'mention' | 'close' | 'reopen' | 'reassign' | 'merge' | 'push_to' | 'due' | 'unmergeable'

/** The payload of the job: facts of the moment, and ids to read the rest. */
export interface Notice {
  act: Act
  on: NoteableKey
  actor_id: number
  at: string
  note_id: number | null
  /** Users who became assignees, and users who no longer are. */
  assignees: { added: number[]; removed: number[] }
  /** Names that the text mentions now and did not before. */
  names: string[]
  /** Pushed commits, oldest first: the ids of those that are listed. */
  commits: string[]
  commit_count: number
}

/** Common fields of most notices. */
export const plain = {
  note_id: null,
  assignees: { added: [], removed: [] },
  names: [],
  commits: [],
  commit_count: 0,
} satisfies Partial<Notice>

/** The switch of the level `custom` for it; null if there is none. */
export function switchOf({ act, on }: Pick<Notice, 'act' | 'on'>): NotificationSwitch | null {
  if (act === 'note') return 'new_note'
  if (act === 'unmergeable' || act === 'mention') return null
  if (act === 'due') return 'issue_due'
  if (act === 'merge') return 'merge_merge_request'
  if (act === 'push_to') return 'push_to_merge_request'
  return on.kind === 'issue' || on.kind === 'merge_request' ? `${act}_${on.kind}` : null
}

/** Identifies it, so that each user gets one message even if the job runs twice. */
export function keyOfNotice({ act, on, note_id, at }: Pick<Notice, 'act' | 'on' | 'note_id' | 'at'>): string {
  if (act === 'note') return `note:${note_id}`
  return `${act}:${nameOfKey(on)}${note_id === null ? '' : `:note ${note_id}`}:${at}`
}
