/** Access to environments: seeing, changing and stopping them, for endpoints and pages. */
import type { App } from '../../../app.ts'
import type { CiDeployment } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { authenticated, only, type ProjectGranted, project, type SignedIn, unarchived, using } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { mayApprove, mayDeployTo, needsApprovals } from '../protected-environments/protected-environments.ts'
import { approvalStateOf } from './approvals.service.ts'
import { deploymentAt } from './deployments.queries.ts'
import { environmentAt } from './environments.queries.ts'
import { mayStop, stopActionOf } from './environments.service.ts'

const inPath = nested({ environment_id: Id }, async ({ project }: ProjectGranted, { environment_id }, app) => {
  const environment = await environmentAt(app.db, project.id, environment_id)
  if (!environment) throw notFound('Environment')
  return { environment }
})
type EnvironmentGranted = ProjectGranted & SignedIn & Awaited<ReturnType<typeof inPath.load>>

export const deploymentOf = nested({ deployment_id: Id }, async ({ project }: ProjectGranted, { deployment_id }, app) => {
  const deployment = await deploymentAt(app.db, project.id, deployment_id)
  if (!deployment) throw notFound('Deployment')
  return { deployment }
})

/** In the environment that the path names before. */
const deploymentIn = nested(
  { deployment_id: Id },
  async ({ project, environment }: ProjectGranted & Awaited<ReturnType<typeof inPath.load>>, { deployment_id }, app) => {
    const deployment = await deploymentAt(app.db, project.id, deployment_id)
    if (deployment?.environment_id !== environment.id) throw notFound('Deployment')
    return { deployment }
  },
)

export const environmentsSeen = using('builds', project('read_deployments'))
export const environmentsCreated = unarchived(using('builds', project('deploy')))
export const environmentSeen = within(environmentsSeen, inPath)
const approvers = {
  description: 'those whom the rules of its environment name',
  holds: async ({ project, deployment, user }: ProjectGranted & SignedIn & { deployment: CiDeployment }, { app: { db } }: { app: App }) => {
    const state = await approvalStateOf(db, project, deployment, user.id)
    return !state || !needsApprovals(state.protections) || mayApprove(state.protections, state.standing.get(user.id))
  },
}
const deciders = unarchived(authenticated(environmentsSeen))

export const deploymentSeen = within(environmentsSeen, deploymentOf)
export const deploymentDecided = only(within(deciders, deploymentOf), approvers)
export const deploymentDecidedInEnvironment = only(within(within(deciders, inPath), deploymentIn), approvers)
/** Otherwise another name or tier would leave its protection behind. */
const deployers = {
  description: 'those who may deploy to it',
  holds: ({ project, environment, user }: EnvironmentGranted, { app: { db } }: { app: App }) =>
    mayDeployTo(db, project, environment, user.id),
}
export const environmentChanged = only(within(unarchived(using('builds', project('manage_deployments'))), inPath), deployers)
export const environmentStopped = only(within(unarchived(environmentsSeen), inPath), {
  description: 'developers where a job stops it, else maintainers',
  holds: async ({ environment, level }: EnvironmentGranted, { app }) => mayStop({ level }, await stopActionOf(app, environment)),
})
