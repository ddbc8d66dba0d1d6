/** Background work for commits that are mentioned in issues, merge requests and comments: a note on each commit says where. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { Instant, NoteableRow } from '../../../db/tables.ts'
import { enqueue, type Job, job } from '../../../queue/queue.ts'
import { columnsOf, findNoteable, type KeyColumns, keyOf } from '../../noteable-kinds.ts'
import { commitsAmong } from '../../review/diff-notes/diff-notes.ts'
import { type CommitName, findCommits, keyOfName, type NamedCommit, projectById } from './commits.ts'
import { noteMentionsInCommit, noteOnCommits } from './cross-references.service.ts'
import { viewerById } from './mentions.queries.ts'
import { commitNamesIn } from './parse.ts'
import type { Written } from './written.ts'

interface Mention {
  /** The thing that mentions the commits in its text or in a comment. */
  on: KeyColumns
  author_id: number
  at: Instant
  commits: CommitName[]
}

/** May run twice: a commit that already has the note gets no second one. */
export const noteOnCommitsJob: Job<Mention> = job('references.note_on_commits', {
  async handle(app, { on, author_id, at, commits }, stopping) {
    const noteable = await findNoteable(app.db, on)
    const project = noteable && (await projectById(app.db, noteable.row.project_id))
    if (!noteable || !project) return
    const author = await viewerById(app.db, author_id)
    const found = await findCommits(app, { project, author }, commits, stopping)
    const others = await thoseElsewhere(app, noteable, found)
    if (others.length === 0) return
    await inTransaction(app.db, async (tx) => {
      const current = await findNoteable(tx, on)
      if (current?.kind === 'commit') await noteMentionsInCommit(tx, { project, oid: current.row.oid, author_id, at }, [], others)
      else if (current) await noteOnCommits(tx, { on: current, project, author_id, at }, others)
    })
  },
})

/** As in the reference release, a merge request that mentions its own commits adds no notes. */
async function thoseElsewhere(app: App, noteable: NoteableRow, commits: NamedCommit[]): Promise<NamedCommit[]> {
  if (noteable.kind !== 'merge_request') return commits
  const oids = commits.map(({ oid }) => oid)
  const own = await commitsAmong(app.db, noteable.row.id, oids)
  return commits.filter(({ oid }) => !own.has(oid))
}

/** Enqueues the notes on newly mentioned commits. No statement if there are none. */
export async function noteOnCommitsLater(tx: Tx, { on, note, author_id, text, before, at }: Written, site: string): Promise<void> {
  // A note on the commit would reveal that there is an internal note.
  if (note?.internal) return
  const known = new Set(commitNamesIn(before, site).map(keyOfName))
  const commits = commitNamesIn(text, site).filter((named) => !known.has(keyOfName(named)))
  if (commits.length > 0) await enqueue(tx, noteOnCommitsJob, { on: columnsOf(keyOf(on)), author_id, at, commits })
}
