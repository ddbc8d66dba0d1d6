/** Writes the mail about what somebody did. */
import { findProject } from '../../../access/find.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import { Failure } from '../../../failure.ts'
import { mailIn } from '../outbox/outbox.ts'
import { issueById, mergeRequestById, noteById, peopleById } from './activity-mails.queries.ts'
import { contentOf } from './content.ts'
import type { Notice } from './notices.ts'
import { recipientsOf, type Subject } from './recipients.service.ts'

/** Nothing is written where nobody wants it, or what it is about has gone meanwhile. */
export async function writeMail(app: App, notice: Notice): Promise<void> {
  const subject = await subjectOf(app.db, notice)
  if (subject === null) return
  const recipients = await recipientsOf(app.db, notice, subject, app.config.url)
  if (recipients.length === 0) return
  const { added, removed } = notice.assignees
  const names = await peopleById(app.db, [notice.actor_id, ...added, ...removed])
  const actor = names.get(notice.actor_id)
  if (!actor) return
  const content = await contentOf(app, notice, subject, { actor, names })
  await inTransaction(app.db, (tx) => mailIn(tx, content, recipients))
}

async function subjectOf(db: Db, { kind, id, note_id }: Notice): Promise<Subject | null> {
  const found = kind === 'issue' ? { kind, row: await issueById(db, id) } : { kind, row: await mergeRequestById(db, id) }
  if (found.row === null) return null
  const project = await projectOf(db, found.kind === 'issue' ? found.row.project_id : (found.row as { project_id: number }).project_id)
  const note = note_id === null ? null : await noteById(db, note_id)
  if (project === null || (note_id !== null && note === null)) return null
  return { ...found, project, note } as Subject
}

async function projectOf(db: Db, id: number) {
  try {
    return (await findProject(db, String(id), everything)).project
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  }
}
