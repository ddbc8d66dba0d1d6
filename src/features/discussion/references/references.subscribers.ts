/** Passes new and changed texts on, so that their references are followed. */
import type { Tx } from '../../../db/database.ts'
import type { Site } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { branchOf, isCreation, isDeletion } from '../../../git/refs/ref-updates.ts'
import { noteableOfEvent } from '../../noteable-kinds.ts'
import { followReferences } from './mentions.service.ts'

const textOf = ({ title, description }: { title: string; description: string | null }) => `${title}\n\n${description ?? ''}`

type New = EventOf<'issue_created' | 'merge_request_created'>

export async function followNew(tx: Tx, event: New, { url }: Site): Promise<void> {
  const { actor_id, actor, at } = event
  const on = noteableOfEvent(event)
  await followReferences(tx, { on, note: null, author_id: actor_id, actor, text: textOf(on.row), before: null, at }, url)
}

type Changed = EventOf<'issue_changed' | 'merge_request_changed'>

export async function followChanged(tx: Tx, event: Changed, { url }: Site): Promise<void> {
  const { actor_id, at } = event
  const on = noteableOfEvent(event)
  const [text, before] = [textOf(on.row), textOf(event.before)]
  if (text !== before) await followReferences(tx, { on, note: null, author_id: actor_id, text, before, at }, url)
}

export async function followNote(tx: Tx, event: EventOf<'note_created' | 'note_changed'>, { url }: Site): Promise<void> {
  const { noteable: on, note, actor_id, at } = event
  const before = event.type === 'note_changed' ? event.before.body : null
  const actor = event.type === 'note_created' ? event.actor : undefined
  if (before !== note.body) await followReferences(tx, { on, note, author_id: actor_id, actor, text: note.body, before, at }, url)
}

/** Maximum of branches per push. */
const maxBranches = 20

/** The branches whose new commits are processed: not the first push to the default branch, which may contain years of history. */
export function readNewCommits(event: EventOf<'refs_pushed'>) {
  const { project_id, user_id, default_branch, has_new_default_branch, changes } = event
  if (default_branch === null || has_new_default_branch) return null
  const branches = changes
    .filter((change) => !isDeletion(change))
    .flatMap((change) => {
      const branch = branchOf(change.ref)
      if (branch === null || (isCreation(change) && branch === default_branch)) return []
      return [{ before: change.before, after: change.after, isDefault: branch === default_branch }]
    })
  return branches.length === 0 ? null : { project_id, user_id, branches: branches.slice(0, maxBranches) }
}
