/** What somebody did with something that is discussed, as far as others may want mail about it. */
import type { NoteableKey } from '../../../db/tables.ts'
import { nameOfKey } from '../../noteable-kinds.ts'
import type { NotificationSwitch } from '../../spaces/notification-settings/notification-settings.ts'

/** `mention`: a text that was changed mentions people whom it did not mention before. */
export type Act = 'new' | 'note' | 'mention' | 'close' | 'reopen' | 'reassign' | 'merge' | 'push_to' | 'due' | 'unmergeable'

/** The payload of the job: facts of the moment, and where the rest is found. */
export interface Notice {
  act: Act
  on: NoteableKey
  actor_id: number
  at: string
  note_id: number | null
  /** Who is assigned now and was not, and the other way round. */
  assignees: { added: number[]; removed: number[] }
  /** Whom the text mentions now and did not before, as it calls them. */
  names: string[]
  /** Commits that were pushed, oldest first: their ids, no more than are shown. */
  commits: string[]
  commit_count: number
}

/** What a notice says of most acts. */
export const plain = {
  note_id: null,
  assignees: { added: [], removed: [] },
  names: [],
  commits: [],
  commit_count: 0,
} satisfies Partial<Notice>

/** The switch of the level `custom` that asks for it; null if there is none. */
export function switchOf({ act, on }: Pick<Notice, 'act' | 'on'>): NotificationSwitch | null {
  if (act === 'note') return 'new_note'
  if (act === 'unmergeable' || act === 'mention') return null
  if (act === 'due') return 'issue_due'
  if (act === 'merge') return 'merge_merge_request'
  if (act === 'push_to') return 'push_to_merge_request'
  return on.kind === 'issue' || on.kind === 'merge_request' ? `${act}_${on.kind}` : null
}

/** Names it once: whoever is told twice, by a job that runs again, gets one message. */
export function keyOfNotice({ act, on, note_id, at }: Pick<Notice, 'act' | 'on' | 'note_id' | 'at'>): string {
  if (act === 'note') return `note:${note_id}`
  return `${act}:${nameOfKey(on)}${note_id === null ? '' : `:note ${note_id}`}:${at}`
}
