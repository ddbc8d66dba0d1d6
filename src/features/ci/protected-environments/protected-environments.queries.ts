/** SQL for protected environments, their rules, and the approvals of deployments. */
import type { Insertable } from 'kysely'
import { notExpired } from '../../../access/members.ts'
import { levelsInProject } from '../../../access/readers.ts'
import { mayAct } from '../../../access/states.ts'
import { groupsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { type Db, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { CiDeploymentApproval, CiEnvironmentRule, CiEnvironmentRuleTable, CiProtectedEnvironment } from '../../../db/tables.ts'

/** With its rules, in the order in which they were made. */
export type Protection = CiProtectedEnvironment & { rules: CiEnvironmentRule[] }

/** By name. Two statements. */
export async function listProtections(db: Db, project_id: number, page: PageOf): Promise<{ rows: Protection[]; total: number }> {
  const all = db.selectFrom('ci_protected_environments').selectAll().where('project_id', '=', project_id)
  const { rows, total } = await paginate(all.orderBy('name').orderBy('id'), page)
  return { rows: await withRules(db, rows), total }
}

export async function protectionNamed(db: Db, project_id: number, name: string): Promise<Protection | null> {
  const found = db.selectFrom('ci_protected_environments').selectAll().where('project_id', '=', project_id).where('name', '=', name)
  return (await withRules(db, await found.execute()))[0] ?? null
}

export async function protectionById(db: Db, project_id: number, id: number): Promise<Protection | null> {
  const found = (await protectionsById(db, [id])).get(id)
  return found?.project_id === project_id ? found : null
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
  return rows.map((row) => ({ ...row, rules: rules.filter(({ protected_environment_id }) => protected_environment_id === row.id) }))
}

export function insertProtection(tx: Tx, project_id: number, name: string, required_approval_count: number) {
  const at = now()
  const row = { project_id, name, required_approval_count, created_at: at, updated_at: at }
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

export async function updateRule(tx: Tx, { id, ...change }: CiEnvironmentRule): Promise<void> {
  await tx.updateTable('ci_environment_rules').set(change).where('id', '=', id).execute()
}

/** A job that is about to start in a protected environment. */
export interface GuardedJob {
  id: number
  author_id: number | null
  protection: number
  /** Null if it only stops or prepares something. */
  deployment_id: number | null
}

/** The given jobs whose environment is protected. One statement. */
export function guardedJobs(db: Db, job_ids: readonly number[]): Promise<GuardedJob[]> {
  return db
    .selectFrom('ci_jobs')
    .innerJoin('commit_statuses', 'commit_statuses.id', 'ci_jobs.id')
    .innerJoin('ci_environments', 'ci_environments.id', 'ci_jobs.environment_id')
    .innerJoin('ci_protected_environments', (join) =>
      join
        .onRef('ci_protected_environments.project_id', '=', 'ci_environments.project_id')
        .onRef('ci_protected_environments.name', '=', 'ci_environments.name'),
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

/** Whoever may act, and the groups among these that they are in. */
export interface Standing {
  id: number
  admin: boolean
  level: number
  /** Ids of groups: as direct members, and with those above. */
  direct: Set<number>
  inherited: Set<number>
}

type PlacedProject = { id: number; namespace_id: number; namespace_owner_id: number | null }

/** Blocked users are left out. Three statements. */
export async function standingOf(
  db: Db,
  project: PlacedProject,
  user_ids: readonly number[],
  group_ids: readonly number[],
): Promise<Map<number, Standing>> {
  const all = await db
    .selectFrom('users')
    .select(['id', 'admin', 'external', 'state'])
    .where(among(db, 'id', user_ids))
    .execute()
  const users = all.filter(mayAct)
  const levels = await levelsInProject(db, project, users)
  const memberships = group_ids.length === 0 ? [] : await membershipsIn(db, user_ids, group_ids)
  const of = (user_id: number) => memberships.filter((one) => one.user_id === user_id)
  return new Map(
    users.map(({ id, admin }) => [
      id,
      {
        id,
        admin,
        level: levels.get(id) ?? 0,
        direct: new Set(of(id).flatMap(({ group_id, namespace_id }) => (group_id === namespace_id ? group_id : []))),
        inherited: new Set(of(id).map(({ group_id }) => group_id)),
      },
    ]),
  )
}

function membershipsIn(db: Db, user_ids: readonly number[], group_ids: readonly number[]) {
  return db
    .selectFrom('namespace_ancestors')
    .innerJoin('members', 'members.namespace_id', 'namespace_ancestors.ancestor_id')
    .select(['namespace_ancestors.namespace_id as group_id', 'members.namespace_id', 'members.user_id'])
    .where(among(db, 'namespace_ancestors.namespace_id', group_ids))
    .where(among(db, 'members.user_id', user_ids))
    .where(notExpired())
    .execute()
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
