/** The issues and merge requests of milestones, of projects and groups. */
import { listEndpoint } from '../../../http/declare/endpoint.ts'
import { onProjectsAndGroups } from '../../../http/declare/places.ts'
import { Issue } from '../../planning/issues/issues.schema.ts'
import { presentIssues } from '../../planning/issues/issues.ts'
import { milestoneToRead } from '../../planning/milestones/milestones.ts'
import { MergeRequest } from '../merge-requests/merge-requests.schema.ts'
import { listMergeRequests, presentMergeRequests } from '../merge-requests/merge-requests.ts'
import { listIssuesOfMilestone } from './milestone-issues.queries.ts'

export const milestoneIssues = onProjectsAndGroups((kind) => [
  listEndpoint(`GET /${kind}s/:id/milestones/:milestone_id/issues`, {
    summary: `List the issues of a milestone of a ${kind}, those with labels of high priority first`,
    access: milestoneToRead(kind),
    item: Issue,
    async handle({ app, user, place, milestone, page }) {
      const scope = place.kind === 'project' ? { project_id: place.row.id } : { group_id: place.row.id }
      const { rows, total } = await listIssuesOfMilestone(app.db, user, scope, milestone.id, page)
      return { rows: await presentIssues(app, user, rows, { within: place.kind === 'project' ? place.row.id : null }), total }
    },
  }),
  listEndpoint(`GET /${kind}s/:id/milestones/:milestone_id/merge_requests`, {
    summary: `List the merge requests of a milestone of a ${kind}, those with labels of high priority first`,
    access: milestoneToRead(kind),
    item: MergeRequest,
    async handle({ app, user, place, milestone, page }) {
      const scope = place.kind === 'project' ? { project_id: place.row.id } : { group_id: place.row.id }
      const filter = { milestone_id: milestone.id, order_by: 'label_priority', sort: 'asc' } as const
      const { rows, total } = await listMergeRequests(app.db, user, scope, filter, page)
      const within = place.kind === 'project' ? place.row.id : null
      return { rows: await presentMergeRequests(app, rows, { within }), total }
    },
  }),
])
