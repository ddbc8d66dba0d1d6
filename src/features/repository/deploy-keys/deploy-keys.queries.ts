/** SQL for deploy keys, and for the projects they give access to. */
import { sql } from 'kysely'
import { projectsOfMember, type Viewer } from '../../../access/visible.ts'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, SshKey } from '../../../db/tables.ts'

/** A key with its permission in one project. */
export interface ProjectKey extends SshKey {
  can_push: boolean
  enabled_at: Instant
}

export async function findKeyProject(db: Db, key_id: number, project_id: number): Promise<{ can_push: boolean } | null> {
  const row = await db
    .selectFrom('deploy_key_projects')
    .select('can_push')
    .where('key_id', '=', key_id)
    .where('project_id', '=', project_id)
    .executeTakeFirst()
  return row ?? null
}

/** All of the instance. */
export function allDeployKeys(db: Db, page: PageOf): Promise<{ rows: SshKey[]; total: number }> {
  return paginate(db.selectFrom('ssh_keys').selectAll().where('kind', '=', 'deploy').orderBy('id'), page)
}

/** Keys that any project may enable. */
export function publicKeys(db: Db, page: PageOf): Promise<{ rows: SshKey[]; total: number }> {
  return paginate(publicOnes(db).orderBy('id'), page)
}

export async function publicKeyById(db: Db, id: number): Promise<SshKey | null> {
  return (await publicOnes(db).where('id', '=', id).executeTakeFirst()) ?? null
}

function publicOnes(db: Db) {
  return db.selectFrom('ssh_keys').selectAll().where('kind', '=', 'deploy').where('public', '=', true)
}

export async function updatePublic(db: Db, id: number, isPublic: boolean): Promise<void> {
  await db.updateTable('ssh_keys').set({ public: isPublic }).where('id', '=', id).execute()
}

export function keysOfProject(db: Db, project_id: number, page: PageOf): Promise<{ rows: ProjectKey[]; total: number }> {
  return paginate(inProject(db, project_id).orderBy('ssh_keys.id'), page)
}

export async function keyOfProject(db: Db, project_id: number, key_id: number): Promise<ProjectKey | null> {
  return (await inProject(db, project_id).where('ssh_keys.id', '=', key_id).executeTakeFirst()) ?? null
}

function inProject(db: Db, project_id: number) {
  return db
    .selectFrom('deploy_key_projects')
    .innerJoin('ssh_keys', 'ssh_keys.id', 'deploy_key_projects.key_id')
    .selectAll('ssh_keys')
    .select(['deploy_key_projects.can_push', 'deploy_key_projects.created_at as enabled_at'])
    .where('deploy_key_projects.project_id', '=', project_id)
}

/** A deploy key that the viewer may enable: a public one, or one of a project they are a member of; any for administrators. */
export async function accessibleKey(db: Db, viewer: NonNullable<Viewer>, by: { id: number } | { sha256: string }): Promise<SshKey | null> {
  const query = accessibleKeys(db, viewer)
  const found = 'id' in by ? query.where('id', '=', by.id) : query.where('fingerprint_sha256', '=', by.sha256)
  return (await found.executeTakeFirst()) ?? null
}

/** Keys that the viewer may enable in a project that doesn't have them: either the public ones, or all others. */
export function enableableKeys(
  db: Db,
  viewer: NonNullable<Viewer>,
  { project_id, isPublic }: { project_id: number; isPublic: boolean },
  page: PageOf,
): Promise<{ rows: SshKey[]; total: number }> {
  const query = accessibleKeys(db, viewer)
    .where('public', '=', isPublic)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('deploy_key_projects as enabled')
            .select(sql`1`.as('one'))
            .whereRef('enabled.key_id', '=', 'ssh_keys.id')
            .where('enabled.project_id', '=', project_id),
        ),
      ),
    )
  return paginate(query.orderBy('id'), page)
}

function accessibleKeys(db: Db, viewer: NonNullable<Viewer>) {
  const query = db.selectFrom('ssh_keys').selectAll().where('kind', '=', 'deploy')
  if (viewer.admin) return query
  return query.where((eb) =>
    eb.or([
      eb('public', '=', true),
      eb.exists(
        eb
          .selectFrom('deploy_key_projects')
          .innerJoin('projects', 'projects.id', 'deploy_key_projects.project_id')
          .select(sql`1`.as('one'))
          .whereRef('deploy_key_projects.key_id', '=', 'ssh_keys.id')
          .where((own) => projectsOfMember(viewer)(own)),
      ),
    ]),
  )
}

/** Locks the key until the transaction ends, so that nobody can enable it, or find that no project uses it. */
export async function lockKey(db: Db, id: number): Promise<void> {
  await db.updateTable('ssh_keys').set({ id }).where('id', '=', id).execute()
}

/** False if the project already has it. */
export async function insertKeyProject(db: Db, access: { key_id: number; project_id: number; can_push: boolean }): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('deploy_key_projects')
    .values({ ...access, created_at: now() })
    .onConflict((conflict) => conflict.columns(['key_id', 'project_id']).doNothing())
    .executeTakeFirstOrThrow()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function updateKeyProject(db: Db, key_id: number, project_id: number, can_push: boolean): Promise<void> {
  await db.updateTable('deploy_key_projects').set({ can_push }).where('key_id', '=', key_id).where('project_id', '=', project_id).execute()
}

/** False if it was removed meanwhile. */
export async function deleteKeyProject(db: Db, key_id: number, project_id: number): Promise<boolean> {
  const deleting = db.deleteFrom('deploy_key_projects').where('key_id', '=', key_id).where('project_id', '=', project_id)
  return (await deleting.executeTakeFirstOrThrow()).numDeletedRows > 0n
}

export async function updateTitle(db: Db, id: number, title: string): Promise<void> {
  await db.updateTable('ssh_keys').set({ title }).where('id', '=', id).execute()
}
