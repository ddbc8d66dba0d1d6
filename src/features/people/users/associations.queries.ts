/** SQL for how much belongs to a user. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'

export interface AssociationCounts {
  groups_count: number
  projects_count: number
  issues_count: number
  merge_requests_count: number
}

/** One statement. */
export async function countAssociations(db: Db, userId: number): Promise<AssociationCounts> {
  const count = (from: ReturnType<typeof sql>) => sql<number>`(select count(*) from ${from})`
  const { rows } = await sql<AssociationCounts>`
    select
      ${count(sql`members where user_id = ${userId} and namespace_id is not null`)} as groups_count,
      ${count(sql`(
        select project_id from members where user_id = ${userId} and project_id is not null
        union select projects.id from projects join namespaces on namespaces.id = projects.namespace_id where namespaces.owner_id = ${userId}
      ) as theirs`)} as projects_count,
      ${count(sql`issues where author_id = ${userId}`)} as issues_count,
      ${count(sql`merge_requests where author_id = ${userId}`)} as merge_requests_count`.execute(db)
  const { groups_count, projects_count, issues_count, merge_requests_count } = rows[0] as AssociationCounts
  return {
    groups_count: Number(groups_count),
    projects_count: Number(projects_count),
    issues_count: Number(issues_count),
    merge_requests_count: Number(merge_requests_count),
  }
}
