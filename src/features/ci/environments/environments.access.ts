/** Who can see, change and stop environments, and the deployment in a path; for endpoints and pages. */
import { notFound } from '../../../failure.ts'
import { only, type ProjectGranted, project, type SignedIn, unarchived, using } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { deploymentAt } from './deployments.queries.ts'
import { environmentAt } from './environments.queries.ts'
import { mayStop, stopActionOf } from './environments.service.ts'

const inPath = nested({ environment_id: Id }, async ({ project }: ProjectGranted, { environment_id }, app) => {
  const environment = await environmentAt(app.db, project.id, environment_id)
  if (!environment) throw notFound('Environment')
  return { environment }
})
type EnvironmentGranted = ProjectGranted & SignedIn & Awaited<ReturnType<typeof inPath.load>>

export const deploymentInPath = nested({ deployment_id: Id }, async ({ project }: ProjectGranted, { deployment_id }, app) => {
  const deployment = await deploymentAt(app.db, project.id, deployment_id)
  if (!deployment) throw notFound('Deployment')
  return { deployment }
})

export const environmentsSeen = using('builds', project('read_deployments'))
export const environmentsCreated = unarchived(using('builds', project('deploy')))
export const environmentSeen = within(environmentsSeen, inPath)
export const environmentChanged = within(unarchived(using('builds', project('manage_deployments'))), inPath)
export const environmentStopped = only(within(unarchived(environmentsSeen), inPath), {
  description: 'developers where a job stops it, else maintainers',
  holds: async ({ environment, level }: EnvironmentGranted, { app }) => mayStop({ level }, await stopActionOf(app, environment)),
})
