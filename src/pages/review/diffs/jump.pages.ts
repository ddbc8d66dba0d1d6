/** From a discussion to its line: the comparison, the file and the part of it where it is shown. */

import { findDiscussion } from '../../../features/planning/notes/notes.ts'
import { positionOf } from '../../../features/review/diff-notes/diff-notes.ts'
import { mergeRequestInPath } from '../../../features/review/merge-requests/merge-requests.ts'
import { versionPage } from '../../../features/review/versions/versions.ts'
import { changedFiles } from '../../../git/diff/changed-files.ts'
import { project } from '../../../http/rules.ts'
import { oneOfDefault } from '../../../http/schema.ts'
import { within } from '../../../http/within.ts'
import { page } from '../../frame/declaration.ts'
import { addressWith } from '../../repository/history/diff/options.ts'
import { requestAddress } from '../requests/parts.ts'
import { noteableOf } from '../requests/seen.ts'
import { addressOf, isAt } from './places.ts'

const maxVersions = 1_000

export const jumpPages = [
  page('GET /:project/merge_requests/:merge_request_iid/diffs/discussions/:discussion_id', {
    access: within(project('visible'), mergeRequestInPath),
    query: { view: oneOfDefault('unified', 'split') },
    async show(seen) {
      const { app, repo, user, merge_request, params, sent } = seen
      const [opening] = await findDiscussion(app.db, noteableOf(seen), user, params.discussion_id)
      const overview = requestAddress(seen.project, merge_request.iid)
      const hash = `#discussion_${opening.discussion_id}`
      const elsewhere = { redirect: `${overview}${hash}`, status: 302 as const }
      if (opening.position === null || opening.commit_oid !== null) return elsewhere
      const place = positionOf(opening.position)
      const { rows: versions } = await versionPage(app.db, merge_request.id, { limit: maxVersions, offset: 0 })
      const shown = versions.find(({ head_oid, base_oid }) => isAt(place, { base_sha: base_oid, start_sha: '', head_sha: head_oid }))
      const to = shown ?? versions.find(({ head_oid }) => head_oid === place.head_sha)
      const from = shown ? undefined : versions.find(({ head_oid }) => head_oid === place.base_sha)
      if (!to || (!shown && !from)) return elsewhere
      const address = addressOf(`${overview}/diffs`, { version: to.id === versions[0]?.id ? 0 : to.id, from: from?.id ?? 0 })
      const { files } = await changedFiles(repo, place.base_sha, place.head_sha, false)
      const file = files.findIndex(({ new_path, old_path }) => new_path === place.new_path || old_path === place.old_path) + 1
      return { redirect: `${addressWith(address, { view: sent.view, file: Math.max(1, file) })}${hash}`, status: 302 }
    },
  }),
]
