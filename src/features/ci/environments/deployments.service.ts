/** Deployments that are reported through the API rather than made by jobs. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiDeployment, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { forbidden, invalid, missing } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { takeNumbers } from '../../spaces/numbering/numbering.ts'
import { mayDeployTo } from '../protected-environments/protected-environments.ts'
import { deleteDeployment, insertDeployments, lastDeploymentsOf, updateDeployments } from './deployments.queries.ts'
import { nameError, slugOf, tierOf } from './environment-names.ts'
import { environmentsNamed, insertNewEnvironments, updateEnvironment } from './environments.queries.ts'

export const reportedStatuses = ['created', 'running', 'success', 'failed', 'canceled'] as const

export interface ReportedDeployment {
  environment: string
  sha: string
  ref: string
  tag: boolean
  status: (typeof reportedStatuses)[number]
}

export function hasFinished(status: CiDeployment['status']): boolean {
  return status === 'success' || status === 'failed' || status === 'canceled' || status === 'skipped'
}

/**
 * Creates its environment if there is none with this name. Throws 400 for an unknown commit or an invalid name, 403 where the user may not
 * deploy.
 */
export async function reportDeployment(app: App, project: LocatedProject, user: User, sent: ReportedDeployment): Promise<CiDeployment> {
  assertValid({ environment: nameError(sent.environment), ref: blankError(sent.ref) ?? lengthError(sent.ref, 255) })
  const [known] = await environmentsNamed(app.db, project.id, [sent.environment])
  const deployed = known ?? { name: sent.environment, tier: tierOf(sent.environment) }
  if (!(await mayDeployTo(app.db, project, deployed, user.id))) throw forbidden()
  const sha = await resolveCommit(app.git.open(project.id), sent.sha)
  if (sha === null) throw invalid({ sha: ["The commit doesn't exist"] })
  return inTransaction(app.db, async (tx) => {
    const at = now()
    const { environment: name, ref, tag, status } = sent
    const fresh = { project_id: project.id, name, slug: slugOf(name), tier: tierOf(name), created_at: at, updated_at: at }
    await insertNewEnvironments(tx, [{ ...fresh, external_url: null, description: null, auto_stop_at: null }])
    const [environment] = await environmentsNamed(tx, project.id, [name])
    if (!environment) throw invalid({ environment: ['is invalid'] })
    const iid = await takeNumbers(tx, { project_id: project.id }, 'deployment', 1)
    const about = { iid, project_id: project.id, environment_id: environment.id, job_id: null, user_id: user.id, on_stop: null }
    const finished_at = hasFinished(status) ? at : null
    const [deployment] = await insertDeployments(tx, [{ ...about, ref, tag, sha, status, created_at: at, updated_at: at, finished_at }])
    if (status === 'success') await updateEnvironment(tx, environment.id, { state: 'available', updated_at: at })
    await publish(tx, { type: 'deployments_changed', project_id: project.id, deployments: [deployment as CiDeployment] })
    return deployment as CiDeployment
  })
}

/** Throws 400 for a finished deployment and for one of a job; 404 if it was deleted meanwhile. */
export async function changeDeployment(app: App, deployment: CiDeployment, status: ReportedDeployment['status']): Promise<CiDeployment> {
  if (deployment.job_id !== null) throw invalid({ status: ['is that of its job'] })
  if (hasFinished(deployment.status)) throw invalid({ status: [`cannot transition from ${deployment.status} to ${status}`] })
  const at = now()
  const finished_at = hasFinished(status) ? at : null
  return inTransaction(app.db, async (tx) => {
    const [changed] = await updateDeployments(tx, [deployment.id], { status, updated_at: at, finished_at })
    if (!changed) throw missing()
    if (status === 'success') await updateEnvironment(tx, deployment.environment_id, { state: 'available', updated_at: at })
    await publish(tx, { type: 'deployments_changed', project_id: changed.project_id, deployments: [changed] })
    return changed
  })
}

/** Throws 400 for a running deployment, and for the current one of its environment. */
export async function removeDeployment(app: App, deployment: CiDeployment): Promise<void> {
  if (deployment.status === 'running') throw invalid('Cannot destroy running deployment')
  const last = (await lastDeploymentsOf(app.db, [deployment.environment_id])).get(deployment.environment_id)
  if (last?.id === deployment.id) throw invalid('Deployment currently deployed to environment')
  await deleteDeployment(app.db, deployment.id)
}
