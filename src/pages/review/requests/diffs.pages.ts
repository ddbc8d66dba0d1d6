/** What a merge request changes, as of its newest version. */
import { mergeRequestInPath } from '../../../features/review/merge-requests/merge-requests.ts'
import { project } from '../../../http/rules.ts'
import { within } from '../../../http/within.ts'
import { page } from '../../frame/declaration.ts'
import { html } from '../../frame/html.ts'
import { emptyState } from '../../frame/parts.ts'
import { diffScripts, diffView } from '../../repository/history/diff/diff-view.ts'
import { diffQuery } from '../../repository/history/diff/options.ts'
import { requestView } from './frame.ts'
import { requestAddress } from './parts.ts'
import { readFrame } from './read.ts'
import { sentences } from './sentences.ts'

export const requestDiffPages = [
  page('GET /:project/merge_requests/:merge_request_iid/diffs', {
    access: within(project('visible'), mergeRequestInPath),
    query: diffQuery,
    async show(known) {
      const { seen, framed } = await readFrame(known)
      const { repo, project: target, merge_request } = seen
      const { version } = framed
      const address = `${requestAddress(target, merge_request.iid)}/diffs`
      const range = version && version.state !== 'empty' ? { repo, from: version.base_oid, to: version.head_oid } : null
      const diff = range && (await diffView({ range, options: known.sent, address, project: target.full_path }))
      return requestView(seen, framed, 'diffs', {
        title: 'Changes',
        main: html`<section aria-label="Changes">${version?.base_oid === null && html`<p class="notice">${sentences.unrelated}</p>`}${diff ?? emptyState(sentences.noCommits)}</section>`,
        scripts: diffScripts,
      })
    },
  }),
]
