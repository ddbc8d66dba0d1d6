/** Who may deploy to a protected environment, and what a deployment still needs. */
import { findProject } from '../../../access/find.ts'
import { everything } from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import type { CiDeploymentApproval, CiEnvironmentRule } from '../../../db/tables.ts'
import { forbidden } from '../../../failure.ts'
import { approvalsOf, guardedJobs, type Protection, protectionsById, type Standing, standingOf } from './protected-environments.queries.ts'

/** `denied`: whoever starts the job may not deploy. `unapproved`: the deployment waits for approvals. */
export type Refusal = 'denied' | 'unapproved'

/** Which of the jobs may not start now. One statement where none of their environments is protected. */
export async function refusedJobs(db: Db, project_id: number, job_ids: readonly number[]): Promise<Map<number, Refusal>> {
  const guarded = job_ids.length === 0 ? [] : await guardedJobs(db, job_ids)
  if (guarded.length === 0) return new Map()
  const protections = await protectionsById(
    db,
    guarded.map(({ protection }) => protection),
  )
  const approvals = await approvalsOf(
    db,
    guarded.flatMap(({ deployment_id }) => deployment_id ?? []),
  )
  const { project } = await findProject(db, String(project_id), everything)
  const people = [...guarded.flatMap(({ author_id }) => author_id ?? []), ...approvals.map(({ user_id }) => user_id)]
  const standing = await standingOf(db, project, people, groupsIn([...protections.values()]))
  const refused = new Map<number, Refusal>()
  for (const { id, author_id, protection, deployment_id } of guarded) {
    const rules = protections.get(protection)
    if (!rules) continue
    const own = approvals.filter((one) => one.deployment_id === deployment_id)
    if (!mayDeploy(rules, standing.get(author_id ?? 0))) refused.set(id, 'denied')
    else if (deployment_id !== null && missingApprovals(rules, own, standing) > 0) refused.set(id, 'unapproved')
  }
  return refused
}

/** Throws 403 unless the user may deploy to the environment of the job. */
export async function requireDeployer(db: Db, project_id: number, job_id: number, user_id: number): Promise<void> {
  const [guarded] = await guardedJobs(db, [job_id])
  if (!guarded) return
  const protection = (await protectionsById(db, [guarded.protection])).get(guarded.protection)
  if (protection) await requireDeployerOf(db, project_id, protection, user_id)
}

/** The same for a protection. */
export async function requireDeployerOf(db: Db, project_id: number, protection: Protection, user_id: number): Promise<void> {
  const { project } = await findProject(db, String(project_id), everything)
  const standing = await standingOf(db, project, [user_id], groupsIn([protection]))
  if (!mayDeploy(protection, standing.get(user_id))) throw forbidden()
}

export function groupsIn(protections: readonly Protection[]): number[] {
  return [...new Set(protections.flatMap(({ rules }) => rules.flatMap(({ group_id }) => group_id ?? [])))]
}

export function mayDeploy({ rules }: Protection, standing: Standing | undefined): boolean {
  return rules.some((rule) => rule.kind === 'deploy' && fits(rule, standing))
}

/** Whoever a rule names; where none does, whoever may deploy. */
export function mayApprove(protection: Protection, standing: Standing | undefined): boolean {
  const approving = approvingRules(protection)
  return approving.length === 0 ? mayDeploy(protection, standing) : approving.some((rule) => fits(rule, standing))
}

export const approvingRules = ({ rules }: Protection) => rules.filter(({ kind }) => kind === 'approve')

/** Whether the rule names them; administrators fit each. */
export function fits({ access_level, user_id, group_id, group_inheritance_type }: Rule, standing: Standing | undefined): boolean {
  if (!standing) return false
  if (standing.admin) return true
  if (access_level !== null) return access_level < adminLevel && standing.level >= access_level
  if (user_id !== null) return standing.id === user_id && standing.level > 0
  return group_id !== null && (group_inheritance_type === 1 ? standing.inherited : standing.direct).has(group_id)
}

type Rule = Pick<CiEnvironmentRule, 'access_level' | 'user_id' | 'group_id' | 'group_inheritance_type'>

/** As an access level: administrators alone. */
export const adminLevel = 60

/** The approvals that count for the rule: given by users whom it names now, and for no other rule. */
export function countingFor(
  rule: CiEnvironmentRule,
  approvals: readonly CiDeploymentApproval[],
  standing: ReadonlyMap<number, Standing>,
): CiDeploymentApproval[] {
  return approvals.filter(({ user_id, rule_id }) => (rule_id === null || rule_id === rule.id) && fits(rule, standing.get(user_id)))
}

/** How many are missing; an approver who lost access or was blocked no longer counts. */
export function missingApprovals(
  protection: Protection,
  approvals: readonly CiDeploymentApproval[],
  standing: ReadonlyMap<number, Standing>,
): number {
  const given = approvals.filter(({ status }) => status === 'approved')
  const approving = approvingRules(protection)
  if (approving.length === 0) {
    const counting = given.filter(({ user_id }) => mayDeploy(protection, standing.get(user_id)))
    return Math.max(0, protection.required_approval_count - counting.length)
  }
  return approving.reduce((sum, rule) => sum + Math.max(0, rule.required_approvals - countingFor(rule, given, standing).length), 0)
}
