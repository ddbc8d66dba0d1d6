/** Writes mail about activity. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { findProject } from '../../../access/find.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import type { DiscussedCommit } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { noteById } from '../../discussion/notes/notes.ts'
import { columnsOf, findNoteable } from '../../noteable-kinds.ts'
import { mailIn } from '../outbox/outbox.ts'
import { peopleById } from './activity-mails.queries.ts'
import { contentOf } from './content.ts'
import type { Notice } from './notices.ts'
import { recipientsOf, type Subject } from './recipients.service.ts'

/** Recipients per transaction. */
const atOnce = 250

/** Writes nothing if nobody wants it, or its subject was deleted meanwhile. */
export async function writeMail(app: App, notice: Notice): Promise<void> {
  const subject = await subjectOf(app, notice)
  if (subject === null) return
  const recipients = await recipientsOf(app.db, notice, subject, app.config.url)
  if (recipients.length === 0) return
  const { added, removed } = notice.assignees
  const names = await peopleById(app.db, [notice.actor_id, ...added, ...removed])
  const actor = names.get(notice.actor_id)
  if (!actor) return
  const content = await contentOf(app, notice, subject, { actor, names })
  // Short transactions, between which others can read and write.
  for (let at = 0; at < recipients.length; at += atOnce) {
    await nextTurn()
    await inTransaction(app.db, (tx) => mailIn(tx, content, recipients.slice(at, at + atOnce)))
  }
}

/** Read again when the mail is written, since it may have been deleted. */
async function subjectOf(app: App, { on, note_id }: Notice): Promise<Subject | null> {
  const about = await findNoteable(app.db, columnsOf(on))
  const project = about && (await projectOf(app.db, about.row.project_id))
  const note = note_id === null ? null : await noteById(app.db, note_id)
  if (!about || !project || (note_id !== null && note === null)) return null
  return { ...about, project, note, commit: about.kind === 'commit' ? await commitOf(app, about.row) : null }
}

/** Null if a commit is no longer in the repository. */
async function commitOf(app: App, { project_id, oid }: DiscussedCommit): Promise<Commit | null> {
  return readCommit(app.git.open(project_id), oid).catch(() => null)
}

async function projectOf(db: Db, id: number) {
  try {
    return (await findProject(db, String(id), everything)).project
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  }
}
