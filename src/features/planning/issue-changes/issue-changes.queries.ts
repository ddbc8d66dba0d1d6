/** SQL for what is kept of the client that created an issue. */
import type { Insertable } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import type { UserAgentDetail, UserAgentDetailTable } from '../../../db/tables.ts'

export async function insertUserAgent(tx: Tx, row: Insertable<UserAgentDetailTable>): Promise<void> {
  await tx.insertInto('user_agent_details').values(row).execute()
}

export async function userAgentOf(db: Db, issueId: number): Promise<UserAgentDetail | null> {
  return (await db.selectFrom('user_agent_details').selectAll().where('issue_id', '=', issueId).executeTakeFirst()) ?? null
}
