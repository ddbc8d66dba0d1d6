/** Approvals of deployments to protected environments: given by those whom its rules name, they let the job of the deployment start. */
import { findProject, type LocatedProject } from '../../../access/find.ts'
import { mayReadJobs } from '../../../access/jobs.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiDeployment, CiDeploymentApproval, CiEnvironment, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { forbidden, invalid, missing as notThere, nullIfMissing } from '../../../failure.ts'
import { assertValid, lengthError } from '../../../validation.ts'
import { findJob, lockPipelineOf, playJob, rejectJob } from '../processing/processing.ts'
import {
  approvalsOf,
  approvingRules,
  askingRules,
  candidatesOf,
  fits,
  mayApprove,
  missingApprovals,
  namesIn,
  needsApprovals,
  type Protection,
  protectionsOf,
  type Standing,
  saveApproval,
  standingOf,
  wordsFor,
} from '../protected-environments/protected-environments.ts'
import { deploymentAt } from './deployments.queries.ts'
import { environmentsById } from './environments.queries.ts'

export interface ApprovalState {
  /** All that protect the environment. */
  protections: Protection[]
  approvals: CiDeploymentApproval[]
  standing: Map<number, Standing>
  missing: number
}

type Place = Pick<LocatedProject, 'id' | 'namespace_id' | 'namespace_owner_id'>

/** Null if the environment is not protected. At most eight statements; `viewer` is also looked at. */
export async function approvalStateOf(
  db: Db,
  project: Place,
  { id, environment_id }: Pick<CiDeployment, 'id' | 'environment_id'>,
  viewer: number | null = null,
): Promise<ApprovalState | null> {
  const environment: CiEnvironment | undefined = (await environmentsById(db, [environment_id])).get(environment_id)
  const protections = environment ? await protectionsOf(db, project, environment) : []
  if (protections.length === 0) return null
  const approvals = await approvalsOf(db, [id])
  const people = [...approvals.map(({ user_id }) => user_id), ...(viewer === null ? [] : [viewer])]
  const standing = await standingOf(db, project, people, protections)
  return { protections, approvals, standing, missing: missingApprovals(protections, approvals, standing) }
}

/** Whether the user may say something about a deployment that waits; never about their own. */
export function maySay(state: ApprovalState, { status, user_id }: CiDeployment, user: Pick<User, 'id'>): boolean {
  const { protections, standing } = state
  return status === 'blocked' && needsApprovals(protections) && user_id !== user.id && mayApprove(protections, standing.get(user.id))
}

/** Publishes that a deployment waits, with the users who may approve it. Does nothing if it waits no longer, or if there are none. */
export async function askForApprovals(app: App, project_id: number, deployment_id: number): Promise<void> {
  const found = await findProject(app.db, String(project_id), everything).catch(nullIfMissing)
  const deployment = found && (await deploymentAt(app.db, project_id, deployment_id))
  if (!found || deployment?.status !== 'blocked') return
  const { project } = found
  const state = await approvalStateOf(app.db, project, deployment)
  if (!state || state.missing === 0) return
  const said = new Set(state.approvals.map(({ user_id }) => user_id))
  const candidates = (await candidatesOf(app.db, project, askingRules(state.protections))).filter((id) => !said.has(id))
  const standing = await standingOf(app.db, project, candidates, state.protections)
  const user_ids = candidates.filter((id) => {
    const level = standing.get(id)?.level ?? 0
    return maySay({ ...state, standing }, deployment, { id }) && mayReadJobs({ project, level })
  })
  const { missing } = state
  if (user_ids.length > 0)
    await inTransaction(app.db, (tx) => publish(tx, { type: 'deployment_approval_asked', deployment, user_ids, missing, at: now() }))
}

export interface SentApproval {
  status: CiDeploymentApproval['status']
  comment?: string | undefined
  /** The name of the rule for which it counts, where the user fits several. */
  represented_as?: string | undefined
}

/**
 * Approves or rejects a deployment that waits, in place of what the user said before. The last approval starts its job, unless that is
 * manual; a rejection fails it. Throws 400 if the deployment needs no approvals or is the user's own, 403 if no rule names them.
 */
export async function decide(
  app: App,
  project: LocatedProject,
  { id, job_id }: CiDeployment,
  user: User,
  { status, comment, represented_as }: SentApproval,
): Promise<CiDeploymentApproval> {
  assertValid({ comment: lengthError(comment, 255) })
  return inTransaction(app.db, async (tx) => {
    // The pipeline is locked first, as everywhere: of two last approvals one starts the job.
    if (job_id !== null) await lockPipelineOf(tx, job_id)
    const deployment = await deploymentAt(tx, project.id, id)
    if (!deployment) throw notThere()
    const state = await approvalStateOf(tx, project, deployment, user.id)
    requireSay(state, deployment, user)
    const rule_id = represented_as === undefined ? null : await ruleCalled(tx, state, user, represented_as)
    const given = { deployment_id: id, user_id: user.id, rule_id, status, comment: comment || null, created_at: now() }
    const saved = await saveApproval(tx, given)
    const missing = (await approvalStateOf(tx, project, deployment))?.missing ?? 0
    await publish(tx, { type: 'deployment_decided', deployment, approval: saved, missing })
    if (job_id === null) return saved
    if (status === 'rejected') await rejectJob(tx, job_id, 'deployment_rejected')
    else if (missing === 0) await startIfAutomatic(tx, job_id)
    return saved
  })
}

function requireSay(
  state: ApprovalState | null,
  { status, user_id }: CiDeployment,
  user: Pick<User, 'id'>,
): asserts state is ApprovalState {
  if (!state || !needsApprovals(state.protections)) throw invalid('This environment does not require approvals.')
  if (status !== 'blocked') throw invalid('This deployment is not waiting for approvals.')
  if (user_id === user.id) throw invalid('You cannot approve your own deployment.')
  if (!mayApprove(state.protections, state.standing.get(user.id))) throw forbidden()
}

async function startIfAutomatic(tx: Parameters<typeof playJob>[0], job_id: number): Promise<void> {
  const found = await findJob(tx, job_id)
  if (found && found.job.when_to_run !== 'manual') await playJob(tx, job_id, null)
}

async function ruleCalled(db: Db, { protections, standing }: ApprovalState, user: User, name: string): Promise<number> {
  const rules = approvingRules(protections).filter((rule) => fits(rule, standing.get(user.id)))
  const names = await namesIn(db, user, rules)
  const found = rules.find((rule) => wordsFor(rule, names) === name)
  if (!found) throw invalid({ represented_as: ['is not the name of a rule that you fit'] })
  return found.id
}
