/** SQL for protected environments of projects and groups, their rules, and the approvals of deployments. */
import type { Insertable } from 'kysely'
import { groupsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { type Db, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { among } from '../../../db/prepared-queries.ts'
import type {
  CiDeploymentApproval,
  CiEnvironment,
  CiEnvironmentRule,
  CiEnvironmentRuleTable,
  CiProtectedEnvironment,
} from '../../../db/tables.ts'
import type { Place } from '../../../http/declare/places.ts'

/** A role is that in the group that protects the environment, or else in the project. */
export type ProtectionRule = CiEnvironmentRule & { of_group_id: number | null }

/** With its rules, in the order in which they were made. */
export type Protection = CiProtectedEnvironment & { rules: ProtectionRule[] }

/** A project protects an environment by name; a group protects those of all projects below it by tier. */
export type ProtectionPlace = { project_id: number } | { group_id: number }

export const protectionPlace = ({ kind, row }: Place): ProtectionPlace =>
  kind === 'project' ? { project_id: row.id } : { group_id: row.id }

function protectionsIn(db: Db, place: ProtectionPlace) {
  const all = db.selectFrom('ci_protected_environments').selectAll()
  return 'project_id' in place ? all.where('project_id', '=', place.project_id) : all.where('group_id', '=', place.group_id)
}

/** By name. Two statements. */
export async function listProtections(db: Db, place: ProtectionPlace, page: PageOf): Promise<{ rows: Protection[]; total: number }> {
  const all = protectionsIn(db, place)
  const { rows, total } = await paginate(all.orderBy('name').orderBy('id'), page)
  return { rows: await withRules(db, rows), total }
}

export async function protectionNamed(db: Db, place: ProtectionPlace, name: string): Promise<Protection | null> {
  const found = protectionsIn(db, place).where('name', '=', name)
  return (await withRules(db, await found.execute()))[0] ?? null
}

export async function protectionById(db: Db, place: ProtectionPlace, id: number): Promise<Protection | null> {
  const found = protectionsIn(db, place).where('id', '=', id)
  return (await withRules(db, await found.execute()))[0] ?? null
}

/** All that protect an environment: that of its project, and those of the groups above. Two statements. */
export async function protectionsOf(
  db: Db,
  project: { id: number; namespace_id: number },
  { name, tier }: Pick<CiEnvironment, 'name' | 'tier'>,
): Promise<Protection[]> {
  const found = db
    .selectFrom('ci_protected_environments')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb.and([eb('project_id', '=', project.id), eb('name', '=', name)]),
        eb.and([
          eb('name', '=', tier),
          eb(
            'group_id',
            'in',
            eb.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_ancestors.namespace_id', '=', project.namespace_id),
          ),
        ]),
      ]),
    )
  return withRules(db, await found.orderBy('id').execute())
}

async function withRules(db: Db, rows: CiProtectedEnvironment[]): Promise<Protection[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const rules = await db
    .selectFrom('ci_environment_rules')
    .selectAll()
    .where(among(db, 'protected_environment_id', ids))
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    ...row,
    rules: rules
      .filter(({ protected_environment_id }) => protected_environment_id === row.id)
      .map((rule) => ({ ...rule, of_group_id: row.group_id })),
  }))
}

export function insertProtection(tx: Tx, place: ProtectionPlace, name: string, required_approval_count: number) {
  const at = now()
  const row = { project_id: null, group_id: null, ...place, name, required_approval_count, created_at: at, updated_at: at }
  return tx.insertInto('ci_protected_environments').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Locks it until the transaction ends. False if it was deleted. */
export async function touchProtection(tx: Tx, id: number, change: { required_approval_count?: number }): Promise<boolean> {
  const touched = tx.updateTable('ci_protected_environments').set({ ...change, updated_at: now() })
  return (await touched.where('id', '=', id).returning('id').execute()).length > 0
}

export async function deleteProtection(db: Db, id: number): Promise<void> {
  await db.deleteFrom('ci_protected_environments').where('id', '=', id).execute()
}

export async function insertRules(tx: Tx, rows: Insertable<CiEnvironmentRuleTable>[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto('ci_environment_rules').values(rows).execute()
}

export async function deleteRules(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .deleteFrom('ci_environment_rules')
    .where(among(tx, 'id', ids))
    .execute()
}

export async function updateRule(tx: Tx, { id, of_group_id: _, ...change }: ProtectionRule): Promise<void> {
  await tx.updateTable('ci_environment_rules').set(change).where('id', '=', id).execute()
}

/** A job that is about to start in a protected environment, with one of those that protect it. */
export interface GuardedJob {
  id: number
  author_id: number | null
  protection: number
  /** Null if it only stops or prepares something. */
  deployment_id: number | null
}

/** The given jobs whose environment is protected, each with all that protect it. One statement. */
export function guardedJobs(db: Db, job_ids: readonly number[]): Promise<GuardedJob[]> {
  return db
    .selectFrom('ci_jobs')
    .innerJoin('commit_statuses', 'commit_statuses.id', 'ci_jobs.id')
    .innerJoin('ci_environments', 'ci_environments.id', 'ci_jobs.environment_id')
    .innerJoin('projects', 'projects.id', 'ci_environments.project_id')
    .innerJoin('ci_protected_environments', (join) =>
      join.on((eb) =>
        eb.or([
          eb.and([
            eb('ci_protected_environments.project_id', '=', eb.ref('ci_environments.project_id')),
            eb('ci_protected_environments.name', '=', eb.ref('ci_environments.name')),
          ]),
          eb.and([
            eb('ci_protected_environments.name', '=', eb.ref('ci_environments.tier')),
            eb(
              'ci_protected_environments.group_id',
              'in',
              eb
                .selectFrom('namespace_ancestors')
                .select('ancestor_id')
                .whereRef('namespace_ancestors.namespace_id', '=', 'projects.namespace_id'),
            ),
          ]),
        ]),
      ),
    )
    .leftJoin('ci_deployments', 'ci_deployments.job_id', 'ci_jobs.id')
    .select(['ci_jobs.id', 'commit_statuses.author_id', 'ci_deployments.id as deployment_id'])
    .select('ci_protected_environments.id as protection')
    .where(among(db, 'ci_jobs.id', job_ids))
    .execute()
}

/** Two statements. */
export async function protectionsById(db: Db, ids: readonly number[]): Promise<Map<number, Protection>> {
  const rows = await db
    .selectFrom('ci_protected_environments')
    .selectAll()
    .where(among(db, 'id', ids))
    .execute()
  return new Map((await withRules(db, rows)).map((row) => [row.id, row]))
}

/** Oldest first. */
export function approvalsOf(db: Db, deployment_ids: readonly number[]): Promise<CiDeploymentApproval[]> {
  return db
    .selectFrom('ci_deployment_approvals')
    .selectAll()
    .where(among(db, 'deployment_id', deployment_ids))
    .orderBy('id')
    .execute()
}

/** In place of what the user has said before. */
export async function saveApproval(tx: Tx, row: Omit<CiDeploymentApproval, 'id'>): Promise<CiDeploymentApproval> {
  const { rule_id, status, comment, created_at } = row
  return tx
    .insertInto('ci_deployment_approvals')
    .values(row)
    .onConflict((conflict) => conflict.columns(['deployment_id', 'user_id']).doUpdateSet({ rule_id, status, comment, created_at }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Names of the users and of those groups that the viewer can see. Two statements. */
export async function namesIn(db: Db, viewer: Viewer, rules: readonly Pick<CiEnvironmentRule, 'user_id' | 'group_id'>[]) {
  const users = await db
    .selectFrom('users')
    .select(['id', 'name'])
    .where(
      among(
        db,
        'id',
        rules.flatMap(({ user_id }) => user_id ?? []),
      ),
    )
    .execute()
  const groups = await db
    .selectFrom('namespaces')
    .select(['id', 'name'])
    .where('kind', '=', 'group')
    .where(
      among(
        db,
        'id',
        rules.flatMap(({ group_id }) => group_id ?? []),
      ),
    )
    .where((eb) => groupsVisibleTo(viewer)(eb as never))
    .execute()
  return { users: new Map(users.map(({ id, name }) => [id, name])), groups: new Map(groups.map(({ id, name }) => [id, name])) }
}
