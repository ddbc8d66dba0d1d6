/** Activity on noteables, as far as users can be notified by mail. */
import type { NoteableKey } from '../../../db/tables.ts'
import { nameOfKey } from '../../noteable-kinds.ts'
import type { NotificationSwitch } from '../../spaces/notification-settings/notification-settings.ts'

/** `mention`: a changed text mentions users that it did not mention before. `unqueued`: the merge queue let it go. */
export type Act =
  | 'new'
  | 'note'
  | 'mention'
  | 'close'
  | 'reopen'
  | 'reassign'
  | 'merge'
  | 'push_to'
  | 'due'
  | 'unmergeable'
  | 'ask_approval'
  | 'approve'
  | 'unapprove'
  | 'unqueued'

/** For these there is no switch of level `custom`. */
const unswitched = ['mention', 'unmergeable', 'ask_approval', 'approve', 'unapprove', 'unqueued'] as const
type Unswitched = (typeof unswitched)[number]
const isUnswitched = (act: Act): act is Unswitched => (unswitched as readonly Act[]).includes(act)

/** The payload of the job: facts of the moment, and the ids to read the rest. */
export interface Notice {
  act: Act
  on: NoteableKey
  actor_id: number
  at: string
  note_id: number | null
  /** Users who were assigned and unassigned. */
  assignees: { added: number[]; removed: number[] }
  /** Usernames that the text mentions now and did not mention before. */
  names: string[]
  /** Ids of pushed commits, oldest first, at most as many as are shown. */
  commits: string[]
  commit_count: number
  /** Users who are asked. */
  asked?: number[]
  /** Why it left the queue: the end of a sentence. */
  because?: string
}

/** The usual values of a notice. */
export const plain = {
  note_id: null,
  assignees: { added: [], removed: [] },
  names: [],
  commits: [],
  commit_count: 0,
} satisfies Partial<Notice>

/** The switch of level `custom` for it; null if there is none. */
export function switchOf({ act, on }: Pick<Notice, 'act' | 'on'>): NotificationSwitch | null {
  if (act === 'note') return 'new_note'
  if (isUnswitched(act)) return null
  if (act === 'due') return 'issue_due'
  if (act === 'merge') return 'merge_merge_request'
  if (act === 'push_to') return 'push_to_merge_request'
  return on.kind === 'issue' || on.kind === 'merge_request' ? `${act}_${on.kind}` : null
}

/** A unique key, so that users get one message even if the job runs again. */
export function keyOfNotice({ act, on, note_id, at }: Pick<Notice, 'act' | 'on' | 'note_id' | 'at'>): string {
  if (act === 'note') return `note:${note_id}`
  return `${act}:${nameOfKey(on)}${note_id === null ? '' : `:note ${note_id}`}:${at}`
}
