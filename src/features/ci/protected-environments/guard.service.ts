/** Decides who may deploy to a protected environment, and how many approvals a deployment still needs. */
import { findProject } from '../../../access/find.ts'
import { everything } from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import type { CiDeploymentApproval, CiEnvironment } from '../../../db/tables.ts'
import { forbidden } from '../../../failure.ts'
import {
  approvalsOf,
  guardedJobs,
  type Protection,
  type ProtectionRule,
  protectionsById,
  protectionsOf,
} from './protected-environments.queries.ts'
import { type PlacedProject, type Standing, standingOf } from './standing.queries.ts'

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
  const standing = await standingOf(db, project, people, [...protections.values()])
  const refused = new Map<number, Refusal>()
  for (const { id, author_id, deployment_id } of guarded) {
    const all = guarded.flatMap((one) => (one.id === id ? (protections.get(one.protection) ?? []) : []))
    const own = approvals.filter((one) => one.deployment_id === deployment_id)
    if (!mayDeploy(all, standing.get(author_id ?? 0))) refused.set(id, 'denied')
    else if (deployment_id !== null && missingApprovals(all, own, standing) > 0) refused.set(id, 'unapproved')
  }
  return refused
}

/** Throws 403 unless the user may deploy to the environment of the job. */
export async function requireDeployer(db: Db, project_id: number, job_id: number, user_id: number): Promise<void> {
  const guarded = await guardedJobs(db, [job_id])
  if (guarded.length === 0) return
  const ids = guarded.map(({ protection }) => protection)
  const { project } = await findProject(db, String(project_id), everything)
  if (!(await isDeployer(db, project, [...(await protectionsById(db, ids)).values()], user_id))) throw forbidden()
}

/** Whether the user may deploy to an environment, and so change what decides about its protection. */
export async function mayDeployTo(
  db: Db,
  project: PlacedProject,
  environment: Pick<CiEnvironment, 'name' | 'tier'>,
  user_id: number,
): Promise<boolean> {
  return isDeployer(db, project, await protectionsOf(db, project, environment), user_id)
}

async function isDeployer(db: Db, project: PlacedProject, protections: readonly Protection[], user_id: number): Promise<boolean> {
  if (protections.length === 0) return true
  return mayDeploy(protections, (await standingOf(db, project, [user_id], protections)).get(user_id))
}

/** Each that protects it must allow it: that of the project and those of groups. */
export function mayDeploy(protections: readonly Protection[], standing: Standing | undefined): boolean {
  return protections.every(({ rules }) => rules.some((rule) => rule.kind === 'deploy' && fits(rule, standing)))
}

/** Users named by an approval rule may approve; if no rule says whose approvals count, so may those who may deploy. */
export function mayApprove(protections: readonly Protection[], standing: Standing | undefined): boolean {
  if (approvingRules(protections).some((rule) => fits(rule, standing))) return true
  return protections.some(isCounted) && mayDeploy(protections, standing)
}

export function approvingRules(protections: readonly Protection[]): ProtectionRule[] {
  return protections.flatMap(({ rules }) => rules.filter(({ kind }) => kind === 'approve'))
}

/** Whether approvals are counted, as no rule says whose. */
const isCounted = (protection: Protection) => approvingRules([protection]).length === 0 && protection.required_approval_count > 0

/** The rules that say whose approvals are asked for: those that approve, or where approvals are only counted, those that deploy. */
export function askingRules(protections: readonly Protection[]): ProtectionRule[] {
  const counted = protections.some(isCounted) ? protections.flatMap(({ rules }) => rules.filter(({ kind }) => kind === 'deploy')) : []
  return [...approvingRules(protections), ...counted]
}

export function needsApprovals(protections: readonly Protection[]): boolean {
  return protections.some(isCounted) || approvingRules(protections).length > 0
}

/** Whether the rule names them, and they have access to the project; administrators fit each. */
export function fits(rule: ProtectionRule, standing: Standing | undefined): boolean {
  if (!standing) return false
  if (standing.admin) return true
  if (standing.level === 0) return false
  const { access_level, user_id, group_id, group_inheritance_type, of_group_id } = rule
  const level = of_group_id === null ? standing.level : (standing.groupLevels.get(of_group_id) ?? 0)
  if (access_level !== null) return access_level < adminLevel && level >= access_level
  if (user_id !== null) return standing.id === user_id
  return group_id !== null && (group_inheritance_type === 1 ? standing.inherited : standing.direct).has(group_id)
}

/** As an access level: administrators alone. */
export const adminLevel = 60

/** The approvals that count for the rule: given by users whom it names now, and for no other rule. */
export function countingFor(
  rule: ProtectionRule,
  approvals: readonly CiDeploymentApproval[],
  standing: ReadonlyMap<number, Standing>,
): CiDeploymentApproval[] {
  return approvals.filter(({ user_id, rule_id }) => (rule_id === null || rule_id === rule.id) && fits(rule, standing.get(user_id)))
}

/** How many are missing; an approver who lost access or was blocked no longer counts. */
export function missingApprovals(
  protections: readonly Protection[],
  approvals: readonly CiDeploymentApproval[],
  standing: ReadonlyMap<number, Standing>,
): number {
  const given = approvals.filter(({ status }) => status === 'approved')
  const left = (rule: ProtectionRule) => Math.max(0, rule.required_approvals - countingFor(rule, given, standing).length)
  const named = approvingRules(protections).reduce((sum, rule) => sum + left(rule), 0)
  const counting = given.filter(({ user_id }) => mayDeploy(protections, standing.get(user_id)))
  const counted = Math.max(0, ...protections.filter(isCounted).map(({ required_approval_count }) => required_approval_count))
  return named + Math.max(0, counted - counting.length)
}
