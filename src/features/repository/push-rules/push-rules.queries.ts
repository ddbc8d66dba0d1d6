/** The rows of push rules: of a project, of a group and of the instance. */
import { type Insertable, sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { PushRule, PushRuleTable } from '../../../db/tables.ts'

/** Whose rules they are: the columns that say so. */
export type PushRulePlace = { project_id: number } | { group_id: number } | { is_instance: true }

/** The requirements of a rule; its other columns tell where it applies. */
export type PushRuleFields = Omit<PushRule, 'id' | 'project_id' | 'group_id' | 'is_instance' | 'created_at' | 'updated_at'>
export type PushRuleChange = Partial<PushRuleFields>

export async function ruleOf(db: Db, place: PushRulePlace): Promise<PushRule | null> {
  const rows = db.selectFrom('push_rules').selectAll()
  const [column, value] = Object.entries(place)[0] as ['project_id' | 'group_id' | 'is_instance', never]
  return (await rows.where(column, '=', value).executeTakeFirst()) ?? null
}

/** The rules of the project, of the groups above it, and of the instance: the nearest first. */
const rulesAround = prepared((db: Db, projectId: number, namespaceId: number) =>
  db
    .selectFrom('push_rules')
    .leftJoin('routes', 'routes.namespace_id', 'push_rules.group_id')
    .selectAll('push_rules')
    .where((eb) =>
      eb.or([
        eb('push_rules.project_id', '=', projectId),
        eb(
          'push_rules.group_id',
          'in',
          eb.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_ancestors.namespace_id', '=', namespaceId),
        ),
        eb('push_rules.is_instance', '=', true),
      ]),
    )
    .orderBy(sql`case when push_rules.project_id is not null then 0 when push_rules.group_id is not null then 1 else 2 end`)
    // The path of a group is longer than those of the groups above it.
    .orderBy(sql`length(routes.path)`, 'desc'),
)

/** The rules that pushes to the project must follow: its own, or else those of the nearest group, or else of the instance. One statement. */
export async function ruleInForce(db: Db, project: { id: number; namespace_id: number }): Promise<PushRule | null> {
  const [nearest] = await rulesAround(db, project.id, project.namespace_id)
  return nearest ?? null
}

/** Fails on a unique index if the place has rules already. */
export function insertRule(db: Db, place: PushRulePlace, fields: PushRuleChange): Promise<PushRule> {
  const at = now()
  const row: Insertable<PushRuleTable> = {
    project_id: null,
    group_id: null,
    is_instance: null,
    ...place,
    ...fields,
    created_at: at,
    updated_at: at,
  }
  return db.insertInto('push_rules').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Null if it was removed meanwhile. */
export async function updateRule(db: Db, id: number, change: PushRuleChange): Promise<PushRule | null> {
  const query = db.updateTable('push_rules').set({ ...change, updated_at: now() })
  return (await query.where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

/** The former rules; null if they were removed meanwhile. */
export async function deleteRule(db: Db, id: number): Promise<PushRule | null> {
  return (await db.deleteFrom('push_rules').where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

/** The given addresses, in lower case, that an account has confirmed. One statement for each 500. */
export async function knownAddresses(db: Db, addresses: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (let at = 0; at < addresses.length; at += 500) {
    const rows = db.selectFrom('emails').select('email_key').where('confirmed_at', 'is not', null)
    for (const { email_key } of await rows.where('email_key', 'in', addresses.slice(at, at + 500)).execute()) found.add(email_key)
  }
  return found
}
