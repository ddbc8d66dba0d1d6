/** System notes for changes of issues. */
import type { Tx } from '../../../db/database.ts'
import type { Instant, Issue } from '../../../db/tables.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { referredIssues } from './notes.queries.ts'
import { assigneesChange, commonTexts, written } from './shared-notes.ts'
import { insertSystemNotes, type NewSystemNote } from './system-notes.service.ts'
import {
  commitReference,
  confidentialText,
  copiedText,
  dueDateText,
  duplicateText,
  noteableReference,
  originalText,
  type Referred,
  type Relation,
  relationText,
  type SystemText,
  stateText,
  titleText,
  unrelatedText,
} from './system-notes.ts'

interface Act {
  issue: Issue
  actor_id: number
  at: Instant
}

/** In the order in which the reference release writes them. Labels have events of their own instead of notes. */
export async function noteChanges(tx: Tx, event: EventOf<'issue_changed'>): Promise<void> {
  const { before, issue, assignees, time } = event
  const texts: SystemText[] = []
  if (issue.title !== before.title) texts.push(titleText(before.title, issue.title))
  texts.push(...(await commonTexts(tx, 'issue', before, issue, time)))
  if (issue.due_date !== before.due_date) texts.push(dueDateText(issue.due_date))
  if (assignees.added.length > 0 || assignees.removed.length > 0) texts.push(await assigneesChange(tx, assignees))
  if (issue.confidential !== before.confidential) texts.push(confidentialText(issue.confidential))
  await insertSystemNotes(tx, written(event, texts))
}

/** Some readers of the issue may not be allowed to see what closed it. */
export async function noteClosing(tx: Tx, event: EventOf<'issue_closed'>): Promise<void> {
  const { issue, by } = event
  // Moving has a note of its own.
  if (by && 'moved_to_id' in by) return
  if (by && 'duplicate_of_id' in by) await noteDuplicate(tx, event, by.duplicate_of_id)
  if (by && 'merge_request' in by) return noteClosingBy(tx, event, by)
  if (!by || !('commit_oid' in by)) return void (await insertSystemNotes(tx, written(event, [stateText('closed', null)])))
  const path = (await referredIssues(tx, [issue.id])).get(issue.id)?.project_path ?? ''
  const text = stateText('closed', commitReference(by.commit_oid, by.project?.full_path ?? path, path))
  const about = by.project && by.project.id !== issue.project_id ? { project_id: by.project.id } : null
  await insertSystemNotes(
    tx,
    written(event, [text]).map((note) => ({ ...note, about })),
  )
}

async function noteClosingBy(
  tx: Tx,
  event: EventOf<'issue_closed'>,
  { merge_request: { id, iid }, project_path }: Extract<EventOf<'issue_closed'>['by'], { merge_request: unknown }>,
): Promise<void> {
  const own = (await referredIssues(tx, [event.issue.id])).get(event.issue.id)?.project_path ?? ''
  const text = stateText('closed', `merge request ${noteableReference('merge_request', { iid, project_path }, own)}`)
  const about = { kind: 'merge_request', id } as const
  await insertSystemNotes(
    tx,
    written(event, [text]).map((note) => ({ ...note, about })),
  )
}

async function noteDuplicate(tx: Tx, event: Act, originalId: number): Promise<void> {
  await insertSystemNotes(tx, await bothSides(tx, event, originalId, duplicateText, originalText))
}

export async function noteReopening(tx: Tx, event: EventOf<'issue_reopened'>): Promise<void> {
  await insertSystemNotes(tx, written(event, [stateText('opened', null)]))
}

/** A moved issue is also closed, but without a note for that. */
export async function noteCopy(tx: Tx, event: EventOf<'issue_copied'>): Promise<void> {
  const text = (direction: 'to' | 'from') => (reference: string) => copiedText(event.action, direction, reference)
  await insertSystemNotes(tx, await bothSides(tx, event, event.to.id, text('to'), text('from')))
}

export async function noteLink(tx: Tx, { source, target, link_type, actor_id, at }: EventOf<'issues_linked'>): Promise<void> {
  const [here, there] = link_type === 'blocks' ? (['blocking', 'blocked by'] as const) : (['related to', 'related to'] as const)
  const text = (relation: Relation) => (reference: string) => relationText(relation, reference)
  await insertSystemNotes(tx, await bothSides(tx, { issue: source, actor_id, at }, target.id, text(here), text(there)))
}

export async function noteUnlinking(tx: Tx, { source, target, actor_id, at }: EventOf<'issues_unlinked'>): Promise<void> {
  await insertSystemNotes(tx, await bothSides(tx, { issue: source, actor_id, at }, target.id, unrelatedText, unrelatedText))
}

/** A note on each of two issues, which mentions the other one. */
async function bothSides(
  tx: Tx,
  { issue, actor_id, at }: Act,
  otherId: number,
  here: (reference: string) => SystemText,
  there: (reference: string) => SystemText,
): Promise<NewSystemNote[]> {
  const places = await referredIssues(tx, [issue.id, otherId])
  const [own, other] = [places.get(issue.id), places.get(otherId)]
  if (!own || !other) return []
  const side = (on: Place, of: Place, text: (reference: string) => SystemText): NewSystemNote => ({
    ...text(noteableReference('issue', of, on.project_path)),
    noteable: { kind: 'issue', row: on },
    author_id: actor_id,
    at,
    about: { kind: 'issue', id: of.id },
  })
  return [side(own, other, here), side(other, own, there)]
}

type Place = Referred & Pick<Issue, 'id' | 'project_id'>
