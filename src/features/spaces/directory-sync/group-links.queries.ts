/** SQL for links of groups to the directory. */
import type { Insertable } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import type { LdapGroupLink, LdapGroupLinkTable } from '../../../db/tables.ts'

/** The source of a link's members: either a group of the directory or a filter. */
export interface LinkKey {
  provider?: string | undefined
  cn?: string | undefined
  filter?: string | undefined
}

/** The links of a group, oldest first. */
export function listLinks(db: Db, namespace_id: number, page: PageOf): Promise<{ rows: LdapGroupLink[]; total: number }> {
  return paginate(db.selectFrom('ldap_group_links').selectAll().where('namespace_id', '=', namespace_id).orderBy('id'), page)
}

/** Every link, with the path of its group. */
export function allLinks(db: Db): Promise<Array<LdapGroupLink & { path: string }>> {
  return db
    .selectFrom('ldap_group_links')
    .innerJoin('routes', 'routes.namespace_id', 'ldap_group_links.namespace_id')
    .selectAll('ldap_group_links')
    .select('routes.path')
    .orderBy('ldap_group_links.id')
    .execute()
}

export async function countLinks(db: Db, namespace_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('ldap_group_links')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespace_id', '=', namespace_id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Fails on the unique index if the group has it already. */
export function insertLink(db: Db, row: Insertable<LdapGroupLinkTable>): Promise<LdapGroupLink> {
  return db.insertInto('ldap_group_links').values(row).returningAll().executeTakeFirstOrThrow()
}

/** The deleted links. */
export function deleteLinks(db: Db, namespace_id: number, { provider, cn, filter }: LinkKey): Promise<LdapGroupLink[]> {
  let query = db.deleteFrom('ldap_group_links').where('namespace_id', '=', namespace_id)
  if (provider !== undefined) query = query.where('provider', '=', provider)
  if (cn !== undefined) query = query.where('cn', '=', cn)
  if (filter !== undefined) query = query.where('filter', '=', filter)
  return query.returningAll().execute()
}
