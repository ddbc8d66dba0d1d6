/** Background work of notes: lists the commits of a push on its merge request. */
import { pageUrl } from '../../../addresses/links.ts'
import { mergeRequestAddress } from '../../../addresses/merge-requests.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Instant } from '../../../db/tables.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import { readCommits } from '../../../git/objects/read.ts'
import { job } from '../../../queue/queue.ts'
import { lockMergeRequest, mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { pushedText } from './merge-request-texts.ts'
import { hasNoteOfPush, pathOfProject } from './notes.queries.ts'
import { insertSystemNote } from './system-notes.service.ts'

interface Push {
  merge_request_id: number
  /** The version that it created. */
  version_id: number
  actor_id: number
  at: Instant
  before_oid: string
  listed_oids: string[]
  added: number
  existing_oids: string[]
}

export const notePushJob = job<Push>('notes.note_push', {
  async handle(app, { merge_request_id, version_id, actor_id, at, listed_oids, ...push }) {
    const known = await mergeRequestById(app.db, merge_request_id)
    const path = known && (await pathOfProject(app.db, known.project_id))
    if (!known || path === null) return
    const commits = await readCommits(app.git.open(known.project_id), listed_oids)
    const listed = commits.map(({ oid, message }) => ({ oid, title: titleOf(message) }))
    const address = `${pageUrl(app.config, mergeRequestAddress({ full_path: path }, known.iid))}/diffs`
    const compare_url = `${address}?diff_id=${version_id}&start_sha=${push.before_oid}`
    const text = pushedText({ ...push, listed, target_branch: known.target_branch, compare_url })
    await inTransaction(app.db, async (tx) => {
      const row = await lockMergeRequest(tx, merge_request_id)
      // It may run twice.
      if (!row || (await hasNoteOfPush(tx, merge_request_id, version_id))) return
      await insertSystemNote(tx, { ...text, noteable: { kind: 'merge_request', row }, author_id: actor_id, at })
    })
  },
})
