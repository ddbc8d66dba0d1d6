/** What somebody did with an issue or a merge request, as far as others may want mail about it. */
import type { NotificationSwitch } from '../../spaces/notification-settings/notification-settings.ts'

export type Act = 'new' | 'note' | 'close' | 'reopen' | 'reassign' | 'merge' | 'push_to' | 'due' | 'unmergeable'

/** The payload of the job: facts of the moment, and where the rest is found. */
export interface Notice {
  act: Act
  kind: 'issue' | 'merge_request'
  id: number
  actor_id: number
  at: string
  note_id: number | null
  /** Who is assigned now and was not, and the other way round. */
  assignees: { added: number[]; removed: number[] }
  /** Commits that were pushed, oldest first: their ids, no more than are shown. */
  commits: string[]
  commit_count: number
}

/** The switch of the level `custom` that asks for it; null where there is none. */
export function switchOf({ act, kind }: Pick<Notice, 'act' | 'kind'>): NotificationSwitch | null {
  if (act === 'note') return 'new_note'
  if (act === 'unmergeable') return null
  if (act === 'due') return 'issue_due'
  if (act === 'merge') return 'merge_merge_request'
  if (act === 'push_to') return 'push_to_merge_request'
  return `${act}_${kind}`
}

/** Names it once: whoever is told twice, by a job that runs again, gets one message. */
export function keyOf({ act, kind, id, note_id, at }: Notice): string {
  return note_id === null ? `${act}:${kind}:${id}:${at}` : `note:${note_id}`
}
