/** The commits of a merge request, their pipelines, and the changes in test results. */

import { pipelineAddress } from '../../../addresses/ci.ts'
import { commitAddress } from '../../../addresses/repository.ts'
import { lastPipelinesOf } from '../../../features/repository/commits/commits.ts'
import { mergeRequestInPath } from '../../../features/review/merge-requests/merge-requests.ts'
import { commitOidsOfVersion } from '../../../features/review/versions/versions.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import { readCommits } from '../../../git/objects/read.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { page } from '../../frame/declaration.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { copyable, emptyState, isolated } from '../../frame/parts.ts'
import { statusBadge } from '../../project/status-badge.ts'
import { commitsByDay, factsOf, shortId } from '../../repository/history/commits.ts'
import { changedTests } from './changed-tests.ts'
import { mergeRequestView } from './frame.ts'
import { mergeRequestAddress } from './parts.ts'
import { readFrame } from './read.ts'
import { sentences } from './sentences.ts'

const perPage = 50
/** The number of newest commits whose pipelines are shown. */
const maxLookedAt = 100

const access = within(project('visible'), mergeRequestInPath)

export const mergeRequestCommitPages = [
  page('GET /:project/merge_requests/:merge_request_iid/commits', {
    access,
    query: pageNumber,
    async show(known) {
      const { seen, framed } = await readFrame(known)
      const { app, repo, project: target, merge_request } = seen
      const { page: number } = known.sent
      const oids = framed.version ? await commitOidsOfVersion(app.db, framed.version.id, pageFrom({ page: number, per_page: perPage })) : []
      const commits = await readCommits(repo, oids)
      const facts = await factsOf(app, seen, commits)
      const total = framed.version?.commits ?? 0
      const address = `${mergeRequestAddress(target, merge_request.iid)}/commits`
      return mergeRequestView(seen, framed, 'commits', {
        title: t`Commits`,
        main: html`
          <section aria-label="Commits">
            ${commits.length === 0 ? emptyState(sentences.noCommits) : commitsByDay(app, target, commits, facts)}
            ${pagesBelow(address, { page: number, per_page: perPage, total })}
          </section>
        `,
      })
    },
  }),
  page('GET /:project/merge_requests/:merge_request_iid/pipelines', {
    access,
    async show(known) {
      const { seen, framed } = await readFrame(known)
      const { app, repo, project: target } = seen
      const newest = { limit: maxLookedAt, offset: 0 }
      const oids = framed.version ? await commitOidsOfVersion(app.db, framed.version.id, newest) : []
      const pipelines = await lastPipelinesOf(app.db, target.id, oids)
      const commits = await readCommits(
        repo,
        oids.filter((oid) => pipelines.has(oid)),
      )
      const rows = commits.map(
        ({ oid, message }) =>
          html`
            <li>
              ${badgeOf(target, pipelines.get(oid))}
              <div class="what">
                <a href="${commitAddress(target, oid)}">${isolated(titleOf(message) || shortId(oid))}</a>
              </div>
              <div class="facts">${copyable(t`Commit id`, shortId(oid))}</div>
            </li>
          `,
      )
      return mergeRequestView(seen, framed, 'pipelines', {
        title: t`Pipelines`,
        main: html`
          <section aria-label="Pipelines">
            ${rows.length === 0 ? emptyState(sentences.noPipelines) : html`<ul class="rows">${rows}</ul>`}
          </section>
          ${framed.version && (await changedTests(seen, framed.version))}
        `,
      })
    },
  }),
]

function badgeOf(project: { full_path: string }, pipeline: { id: number; status: string } | undefined): Html | null {
  return pipeline ? statusBadge(pipeline.status, pipelineAddress(project, pipeline.id)) : null
}
