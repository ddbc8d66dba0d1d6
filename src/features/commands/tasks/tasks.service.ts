/** Ticks tasks where they stand, in descriptions and comments: nothing else of a text changes, whatever others write at the same time. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Issue, MergeRequest, Note, User } from '../../../db/tables.ts'
import { Failure, notFound } from '../../../failure.ts'
import { noteById } from '../../discussion/notes/notes.ts'
import { withTask } from '../../instance/markdown/markdown.ts'
import type { Noteable } from '../../noteable-kinds.ts'
import type { Actor } from '../../planning/issuables/issuables.ts'
import { changeIssueIn, lockIssue } from '../../planning/issues/issues.ts'
import { changeMergeRequestIn, lockMergeRequest } from '../../review/merge-requests/merge-requests.ts'
import { editNote } from '../notes/notes.ts'

export interface Tick {
  /** The line of the task, with a digest of what is written there. */
  place: string
  done: boolean
}

/** The text with the task ticked. Throws 409 where somebody has changed, moved or deleted it meanwhile. */
export function ticked(text: string | null, { place, done }: Tick): string {
  const changed = withTask(text ?? '', place, done)
  if (changed === null) throw new Failure('conflict', 'Somebody has changed this task meanwhile. Look at it again before you tick it.')
  return changed
}

/** Throws as `ticked`, and 404 where it was deleted. */
export async function tickInIssue(app: App, actor: Actor, { id }: Issue, tick: Tick): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const issue = await lockIssue(tx, id)
    if (!issue) throw notFound('Issue')
    await changeIssueIn(tx, actor, id, { description: ticked(issue.description, tick) })
  })
}

/** As `tickInIssue`. */
export async function tickInMergeRequest(app: App, actor: Actor, { id }: MergeRequest, tick: Tick): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const merge_request = await lockMergeRequest(tx, id)
    if (!merge_request) throw notFound('Merge Request')
    await changeMergeRequestIn(tx, actor, id, { description: ticked(merge_request.description, tick) })
  })
}

const maxTries = 5

/** As `tickInIssue`: where the comment changes at the same time, the task is looked for in its new text. */
export async function tickInNote(app: App, editor: User, noteable: Noteable, { id }: Note, tick: Tick): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const note = await noteById(app.db, id)
    if (!note) throw notFound('Note')
    const body = ticked(note.body, tick)
    try {
      await editNote(app, editor, noteable, note, body, { replacing: note.body })
      return
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'conflict') || tries === maxTries) throw error
    }
  }
}
