/** Deployments of a project: by its jobs, and reported through the API. */
import { Type } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { CiDeployment } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { project, unarchived, using } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { Instant, none, oneOf, oneOfDefault, text } from '../../../http/parameters/schema.ts'
import { approvalStatuses, DeploymentApproval } from '../protected-environments/protected-environments.schema.ts'
import { presentApproval, presentApprovals } from './approvals.present.ts'
import { decide } from './approvals.service.ts'
import { listDeployments } from './deployments.queries.ts'
import { changeDeployment, removeDeployment, reportDeployment, reportedStatuses } from './deployments.service.ts'
import { deploymentDecided, deploymentOf, deploymentSeen } from './environments.access.ts'
import { presentDeployments } from './environments.present.ts'
import { Deployment, deploymentStatuses } from './environments.schema.ts'

const readers = using('builds', project('read_deployments'))
const developers = unarchived(using('builds', project('deploy')))
const maintainers = unarchived(using('builds', project('manage_deployments')))

export const deployments = [
  listEndpoint('GET /projects/:id/deployments', {
    summary: 'List the deployments of a project',
    access: readers,
    jobTokens: true,
    query: {
      environment: Type.Optional(Type.String({ description: 'Name of the environment' })),
      status: Type.Optional(oneOf(...deploymentStatuses)),
      updated_after: Type.Optional(Instant),
      updated_before: Type.Optional(Instant),
      order_by: oneOfDefault('id', 'iid', 'created_at', 'updated_at', 'finished_at', 'ref'),
      sort: oneOfDefault('asc', 'desc'),
    },
    item: Deployment,
    async handle({ app, project, query, page }) {
      const { rows, total } = await listDeployments(app.db, project.id, query, page)
      return { rows: await presentDeployments(app, project, rows), total }
    },
  }),
  endpoint('GET /projects/:id/deployments/:deployment_id', {
    summary: 'Get a deployment',
    access: deploymentSeen,
    jobTokens: true,
    reply: Deployment,
    handle: ({ app, user, project, deployment }) => presentWithApprovals(app, project, user, deployment),
  }),
  endpoint('POST /projects/:id/deployments', {
    summary: 'Report a deployment',
    access: developers,
    jobTokens: true,
    body: {
      environment: Type.String({ description: 'Name of the environment, which is created if needed' }),
      sha: Type.String({ description: 'Commit that is deployed' }),
      ref: Type.String({ description: 'Branch or tag that is deployed' }),
      tag: Type.Boolean({ description: 'Whether `ref` is a tag', default: false }),
      status: oneOf(...reportedStatuses),
    },
    fails: ['unprocessable'],
    reply: Deployment,
    handle: async ({ app, project, user, body }) => present(app, project, await reportDeployment(app, project, user, body)),
  }),
  endpoint('POST /projects/:id/deployments/:deployment_id/approval', {
    summary: 'Approve or reject a deployment',
    access: deploymentDecided,
    body: {
      status: oneOf(...approvalStatuses),
      comment: Type.Optional(text(255)),
      represented_as: Type.Optional(Type.String({ description: 'Name of the rule for which it counts; by default for all that fit' })),
    },
    reply: DeploymentApproval,
    async handle({ app, project, user, deployment, body }) {
      const given = await decide(app, project, deployment, user, body)
      return presentApproval(app, given, user)
    },
  }),
  endpoint('PUT /projects/:id/deployments/:deployment_id', {
    summary: 'Update the status of a reported deployment',
    access: within(developers, deploymentOf),
    jobTokens: true,
    body: { status: oneOf(...reportedStatuses) },
    reply: Deployment,
    handle: async ({ app, project, deployment, body: { status } }) =>
      present(app, project, await changeDeployment(app, deployment, status)),
  }),
  endpoint('DELETE /projects/:id/deployments/:deployment_id', {
    summary: 'Delete a deployment',
    access: within(maintainers, deploymentOf),
    reply: none,
    lastChanged: ({ deployment }) => deployment.updated_at,
    async handle({ app, deployment }) {
      await removeDeployment(app, deployment)
      return null
    },
  }),
]

async function presentWithApprovals(app: App, project: LocatedProject, viewer: Viewer, row: CiDeployment) {
  return Object.assign(await present(app, project, row), await presentApprovals(app, project, viewer, row))
}

async function present(app: App, project: LocatedProject, row: CiDeployment) {
  const [presented] = await presentDeployments(app, project, [row])
  if (!presented) throw notFound('Deployment')
  return presented
}
