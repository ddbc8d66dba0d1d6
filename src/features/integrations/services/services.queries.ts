/** SQL for integrations. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { HookFlag, Integration } from '../../../db/tables.ts'

/** The integrations of a project, or the templates. */
export function integrationsAt(db: Db, project_id: number | null): Promise<Integration[]> {
  return at(db, project_id).orderBy('id').execute()
}

export async function integrationAt(db: Db, project_id: number | null, slug: string): Promise<Integration | null> {
  return (await at(db, project_id).where('slug', '=', slug).executeTakeFirst()) ?? null
}

export async function integrationById(db: Db, id: number): Promise<Integration | null> {
  return (await db.selectFrom('integrations').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

function at(db: Db, project_id: number | null) {
  const integrations = db.selectFrom('integrations').selectAll()
  return project_id === null ? integrations.where('project_id', 'is', null) : integrations.where('project_id', '=', project_id)
}

export type IntegrationSettings = Pick<Integration, 'active' | 'settings' | 'events'>

/** Replaces an existing one of the same kind. */
export async function storeIntegration(
  tx: Tx,
  { project_id, slug }: Pick<Integration, 'project_id' | 'slug'>,
  settings: IntegrationSettings,
): Promise<Integration> {
  const at = now()
  const earlier = await integrationAt(tx, project_id, slug)
  const change = tx.updateTable('integrations').set({ ...settings, updated_at: at })
  if (earlier) return change.where('id', '=', earlier.id).returningAll().executeTakeFirstOrThrow()
  const added = tx.insertInto('integrations').values({ project_id, slug, ...settings, created_at: at, updated_at: at })
  return added.returningAll().executeTakeFirstOrThrow()
}

export async function deleteIntegration(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('integrations').where('id', '=', id).execute()
}

export type Hearing = Partial<Record<HookFlag, boolean>>

/** Stores which events an integration receives, in the row by which events find it; also ends a pause. */
export async function storeHearing(
  tx: Tx,
  { id, project_id }: Pick<Integration, 'id' | 'project_id'>,
  hearing: Hearing,
  enable_ssl_verification: boolean,
): Promise<void> {
  const at = now()
  const awake = { failures: 0, rests_until: null, last_error: null, updated_at: at }
  const changed = await tx
    .updateTable('hooks')
    .set({ ...hearing, enable_ssl_verification, ...awake })
    .where('integration_id', '=', id)
    .executeTakeFirst()
  if (changed.numUpdatedRows > 0n) return
  const added = { ...hearing, project_id, integration_id: id, url: '', enable_ssl_verification, created_at: at, updated_at: at }
  await tx.insertInto('hooks').values(added).execute()
}

/** Stores where the issues and the wiki of a project are, if elsewhere. */
export async function storeElsewhere(
  tx: Tx,
  project_id: number,
  elsewhere: { external_tracker: string | null; external_wiki_url: string | null },
): Promise<void> {
  await tx.updateTable('projects').set(elsewhere).where('id', '=', project_id).execute()
}

/** The next projects after this one without an integration of the kind. */
export async function projectsWithout(db: Db, slug: string, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where('id', '>', after)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('integrations')
            .select(sql.lit(1).as('one'))
            .whereRef('integrations.project_id', '=', 'projects.id')
            .where('integrations.slug', '=', slug),
        ),
      ),
    )
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export function activeTemplates(db: Db): Promise<Integration[]> {
  return db.selectFrom('integrations').selectAll().where('project_id', 'is', null).where('active', '=', true).orderBy('id').execute()
}
