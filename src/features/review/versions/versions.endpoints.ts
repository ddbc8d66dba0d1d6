/** Versions of a merge request, its commits, and the files it changes. */

import { projectUrl } from '../../../addresses/links.ts'
import { notFound } from '../../../failure.ts'
import { openDiff } from '../../../git/diff/patch-stream.ts'
import { commitRange } from '../../../git/history/commit-range.ts'
import { readCommits, readCommitsWithin } from '../../../git/objects/read.ts'
import { endpoint, listEndpoint, streamEndpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { Commit } from '../../repository/commits/commits.schema.ts'
import { presentCommit } from '../../repository/commits/commits.ts'
import { mergeRequestInPath } from '../merge-requests/merge-requests.ts'
import { maxCommits } from './contents.ts'
import { withPatchIds } from './patch-ids.service.ts'
import { diffOfVersion, readVersionDiff } from './version-diff.ts'
import { versionInPath } from './versions.access.ts'
import { presentFile, presentVersion, presentVersionDetail } from './versions.present.ts'
import { commitOidsOfVersion, versionPage } from './versions.queries.ts'
import { MergeRequestDiff, MergeRequestVersion, MergeRequestVersionDetail, unidiff } from './versions.schema.ts'
import { currentVersion } from './versions.service.ts'

const visibleMergeRequest = within(project('signed-in'), mergeRequestInPath)

/** Maximum number of commits shown for a version that isn't the newest. */
const maxShownCommits = 1_000

export const mergeRequestVersions = [
  listEndpoint('GET /projects/:id/merge_requests/:merge_request_iid/commits', {
    summary: 'List the commits of a merge request, newest first',
    access: visibleMergeRequest,
    item: Commit,
    async handle({ app, repo, project, merge_request, page }) {
      const current = await currentVersion(app, merge_request)
      if (!current) return { rows: [], total: 0 }
      const oids = await commitOidsOfVersion(app.db, current.version.id, page)
      const url = projectUrl(app.config, project)
      const rows = (await readCommits(repo, oids)).map((commit) => presentCommit(commit, url))
      return { rows, total: Math.min(current.version.commits, maxCommits) }
    },
  }),
  listEndpoint('GET /projects/:id/merge_requests/:merge_request_iid/diffs', {
    summary: 'List the files a merge request changes, with their diffs',
    access: visibleMergeRequest,
    query: { unidiff },
    item: MergeRequestDiff,
    async handle({ app, repo, merge_request, query, page }) {
      const current = await currentVersion(app, merge_request)
      if (!current) return { rows: [], total: 0 }
      const { rows, total } = await diffOfVersion(repo, current.version, page)
      return { rows: rows.map((file) => presentFile(file, query.unidiff)), total }
    },
  }),
  streamEndpoint('GET /projects/:id/merge_requests/:merge_request_iid/raw_diffs', {
    summary: 'Get the changes of a merge request as one diff, as git writes it',
    access: visibleMergeRequest,
    async handle({ app, repo, merge_request }) {
      const current = await currentVersion(app, merge_request)
      if (!current) throw notFound('Merge Request Diff')
      const { base_oid, head_oid } = current.version
      return {
        etag: `W/"${base_oid}.${head_oid}.diff"`,
        describe: () => ({ type: 'text/plain; charset=utf-8' }),
        open: () => openDiff(repo, base_oid, head_oid),
      }
    },
  }),
  listEndpoint('GET /projects/:id/merge_requests/:merge_request_iid/versions', {
    summary: 'List the versions of a merge request, newest first',
    access: visibleMergeRequest,
    item: MergeRequestVersion,
    async handle({ app, repo, merge_request, page }) {
      await currentVersion(app, merge_request)
      const { rows, total } = await versionPage(app.db, merge_request.id, page)
      return { rows: (await withPatchIds(app, repo, rows)).map(presentVersion), total }
    },
  }),
  endpoint('GET /projects/:id/merge_requests/:merge_request_iid/versions/:version_id', {
    summary: 'Get a version of a merge request with its commits and diffs',
    access: within(visibleMergeRequest, versionInPath),
    query: { unidiff },
    reply: MergeRequestVersionDetail,
    async handle({ app, repo, project, version, query }) {
      const { head_oid, start_oid } = version
      const [{ oids }, { files }, [known = version]] = await Promise.all([
        commitRange(repo, head_oid, start_oid, maxShownCommits),
        readVersionDiff(repo, version, false),
        withPatchIds(app, repo, [version]),
      ])
      const url = projectUrl(app.config, project)
      const commits = (await readCommitsWithin(repo, oids)).map((commit) => presentCommit(commit, url))
      return presentVersionDetail(
        known,
        commits,
        files.map((file) => presentFile(file, query.unidiff)),
      )
    },
  }),
]
