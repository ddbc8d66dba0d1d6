/** Redirects from a discussion to its line, in the comparison, file and part that contain it; and back. */
import type { Note } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { findOpening } from '../../../features/discussion/notes/notes.ts'
import { positionOf } from '../../../features/review/diff-notes/diff-notes.ts'
import { mergeRequestInPath } from '../../../features/review/merge-requests/merge-requests.ts'
import { versionPage } from '../../../features/review/versions/versions.ts'
import { changedFiles } from '../../../git/diff/changed-files.ts'
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { page, type Redirect } from '../../frame/declaration.ts'
import { talkAddress } from '../../planning/discussion/discussion.ts'
import { addressWith } from '../../repository/history/diff/options.ts'
import { readPart } from '../../repository/history/diff/part.ts'
import { mergeRequestAddress } from '../merge-requests/parts.ts'
import { type MergeRequestSeen, noteableOf } from '../merge-requests/seen.ts'
import { addressOf, defaults, isAt } from './compared-versions.ts'

const maxVersions = 1_000
const access = within(project('visible'), mergeRequestInPath)

export const jumpPages = [
  page('GET /:project/merge_requests/:merge_request_iid/discussions/:discussion_id', {
    access,
    async show(seen) {
      const discussed = { ...seen, noteable: noteableOf(seen) }
      const opening = await findOpening(seen.app.db, discussed.noteable, seen.user, seen.params.discussion_id)
      return { redirect: await talkAddress(discussed, opening), status: 302 }
    },
  }),
  page('GET /:project/merge_requests/:merge_request_iid/diffs/discussions/:discussion_id', {
    access,
    query: { view: oneOfDefault('unified', 'split') },
    async show(seen): Promise<Redirect> {
      const { app, user, merge_request, params, sent } = seen
      const opening = await findOpening(app.db, noteableOf(seen), user, params.discussion_id).catch(nullIfMissing)
      const request = mergeRequestAddress(seen.project, merge_request.iid)
      // Its last note was deleted from there.
      if (!opening) return { redirect: addressWith(`${request}/diffs`, { view: sent.view }), status: 302 }
      const line = await lineOf(seen, opening, sent.view)
      return { redirect: line ?? `${request}/discussions/${opening.discussion_id}`, status: 302 }
    },
  }),
]

/** Null if no version contains it. */
async function lineOf(
  { app, repo, project, merge_request }: MergeRequestSeen,
  { position, commit_oid, discussion_id }: Note,
  view: 'unified' | 'split',
): Promise<string | null> {
  if (position === null || commit_oid !== null) return null
  const place = positionOf(position)
  const { rows: versions } = await versionPage(app.db, merge_request.id, { limit: maxVersions, offset: 0 })
  const shown = versions.find(({ head_oid, base_oid }) => isAt(place, { base_sha: base_oid, start_sha: '', head_sha: head_oid }))
  const to = shown ?? versions.find(({ head_oid }) => head_oid === place.head_sha)
  const from = shown ? undefined : versions.find(({ head_oid }) => head_oid === place.base_sha)
  if (!to || (!shown && !from)) return null
  const changes = `${mergeRequestAddress(project, merge_request.iid)}/diffs`
  const address = addressOf(changes, { version: to.id === versions[0]?.id ? 0 : to.id, from: from?.id ?? 0, whole: from ? '1' : '0' })
  const { files } = await changedFiles(repo, place.base_sha, place.head_sha, false)
  const file = files.findIndex(({ new_path, old_path }) => new_path === place.new_path || old_path === place.old_path) + 1
  // If the first part contains it, the files before it stay visible.
  const { next } = await readPart({ repo, from: place.base_sha, to: place.head_sha }, { ...defaults, view })
  const first = next === null || file < next ? 1 : file
  return `${addressWith(address, { view, file: first })}#discussion_${discussion_id}`
}
