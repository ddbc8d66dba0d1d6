/** What follows from the texts that people write. */
import type { Tx } from '../../../db/database.ts'
import type { Site } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { followReferences } from './mentions.service.ts'
import { issueById } from './references.queries.ts'

const textOf = ({ title, description }: { title: string; description: string | null }) => `${title}\n\n${description ?? ''}`

export async function followNewIssue(tx: Tx, { issue, actor_id, at }: EventOf<'issue_created'>, { url }: Site): Promise<void> {
  await followReferences(tx, { issue, note: null, author_id: actor_id, text: textOf(issue), before: null, at }, url)
}

export async function followChangedIssue(tx: Tx, event: EventOf<'issue_changed'>, { url }: Site): Promise<void> {
  const { issue, actor_id, at } = event
  const [text, before] = [textOf(issue), textOf(event.before)]
  if (text !== before) await followReferences(tx, { issue, note: null, author_id: actor_id, text, before, at }, url)
}

export async function followNote(tx: Tx, event: EventOf<'note_created' | 'note_changed'>, { url }: Site): Promise<void> {
  const { note, actor_id, at } = event
  const before = event.type === 'note_changed' ? event.before.body : null
  if (note.issue_id === null || before === note.body) return
  const issue = await issueById(tx, note.issue_id)
  if (issue) await followReferences(tx, { issue, note, author_id: actor_id, text: note.body, before, at }, url)
}
