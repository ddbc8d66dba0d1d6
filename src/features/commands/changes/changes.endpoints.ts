/** A merge request with the files it changes, and the merge requests of a commit and of a deployment. */
import { Type } from 'typebox'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { commitRange } from '../../../git/history/commit-range.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { Off, oneOf, resource } from '../../../http/parameters/schema.ts'
import { deploymentBefore, deploymentSeen } from '../../ci/environments/environments.ts'
import { commit } from '../../repository/revisions.ts'
import { MergeRequest } from '../../review/merge-requests/merge-requests.schema.ts'
import { presentMergeRequests } from '../../review/merge-requests/merge-requests.ts'
import { MergeRequestDiff, unidiff } from '../../review/versions/versions.schema.ts'
import { currentVersion, presentFile, readVersionDiff, shownLimits } from '../../review/versions/versions.ts'
import { presentTo, visibleMergeRequest } from '../merge-requests/merge-requests.ts'
import { mergeRequestsMergedBy, mergeRequestsOfCommit } from './changes.queries.ts'

/** Limit of commits of a deployment that are looked up: the newest. */
const maxDeployed = 10_000

const MergeRequestChanges = resource('MergeRequestChanges', {
  ...MergeRequest.properties,
  changes: Type.Array(MergeRequestDiff),
  overflow: Type.Boolean({ description: 'Files or diffs are left out, as there are too many' }),
})

const { files, lines } = shownLimits

export const mergeRequestFiles = [
  endpoint('GET /projects/:id/merge_requests/:merge_request_iid/changes', {
    summary: 'Get a merge request with the files it changes',
    access: visibleMergeRequest,
    query: {
      access_raw_diffs: Type.Unsafe<boolean>({
        ...Off,
        description: `Up to 3,000 files and 100,000 lines instead of ${files} and ${lines}`,
      }),
      unidiff,
    },
    reply: MergeRequestChanges,
    fails: ['unprocessable'],
    async handle({ app, repo, user, access, merge_request, query }) {
      const current = await currentVersion(app, merge_request)
      const [shown, diff] = await Promise.all([
        presentTo(app, user, access, current?.merge_request ?? merge_request),
        current ? readVersionDiff(repo, current.version, query.access_raw_diffs) : { files: [], overflow: false },
      ])
      const changes = diff.files.map((file) => presentFile(file, query.unidiff))
      return Object.assign(shown, { changes, overflow: diff.overflow })
    },
  }),
  listEndpoint('GET /projects/:id/repository/commits/:sha/merge_requests', {
    summary: 'List the merge requests that brought a commit, newest first',
    access: within(project('code'), commit),
    query: { state: Type.Optional(oneOf('opened', 'closed', 'locked', 'merged')) },
    item: MergeRequest,
    async handle({ app, user, project, access, commit, query, page }) {
      if (!canSeeMergeRequests(access, user)) return { rows: [], total: 0 }
      const { rows, total } = await mergeRequestsOfCommit(app.db, project.id, commit, query.state, page)
      return { rows: await presentMergeRequests(app, rows, { within: project.id }), total }
    },
  }),
  listEndpoint('GET /projects/:id/deployments/:deployment_id/merge_requests', {
    summary: 'List the merge requests that a deployment brought since the successful one before it, newest first',
    access: deploymentSeen,
    item: MergeRequest,
    async handle({ app, repo, user, project, access, deployment, page }) {
      if (!canSeeMergeRequests(access, user)) return { rows: [], total: 0 }
      const before = await deploymentBefore(app.db, deployment)
      // Either may be gone from the repository since.
      const tip = await resolveCommit(repo, deployment.sha)
      if (tip === null) return { rows: [], total: 0 }
      const { oids } = await commitRange(repo, tip, before && (await resolveCommit(repo, before.sha)), maxDeployed)
      const { rows, total } = await mergeRequestsMergedBy(app.db, project.id, oids, page)
      return { rows: await presentMergeRequests(app, rows, { within: project.id }), total }
    },
  }),
]
