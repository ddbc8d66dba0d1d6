/** Writes the mail about what somebody did. */
import { findProject } from '../../../access/find.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import { Failure } from '../../../failure.ts'
import { noteById } from '../../discussion/notes/notes.ts'
import { issueById } from '../../planning/issues/issues.ts'
import { mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { mailIn } from '../outbox/outbox.ts'
import { peopleById } from './activity-mails.queries.ts'
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

/** Read again when the mail is written, for it may be gone. */
async function subjectOf(db: Db, { kind, id, note_id }: Notice): Promise<Subject | null> {
  const about = kind === 'issue' ? await named(kind, issueById(db, id)) : await named(kind, mergeRequestById(db, id))
  const project = about && (await projectOf(db, about.row.project_id))
  const note = note_id === null ? null : await noteById(db, note_id)
  if (!about || !project || (note_id !== null && note === null)) return null
  return { ...about, project, note }
}

async function named<K, R>(kind: K, row: Promise<R | null>): Promise<{ kind: K; row: R } | null> {
  const found = await row
  return found && { kind, row: found }
}

async function projectOf(db: Db, id: number) {
  try {
    return (await findProject(db, String(id), everything)).project
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  }
}
