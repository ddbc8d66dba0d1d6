/** SQL for the client that sent something. */
import type { Insertable } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import type { UserAgentDetail, UserAgentDetailTable } from '../../../db/tables.ts'

/** The column that names what was sent, with its value. */
export type Sent = { issue_id: number } | { snippet_id: number }

export async function insertUserAgent(tx: Tx, row: Insertable<UserAgentDetailTable>): Promise<void> {
  await tx.insertInto('user_agent_details').values(row).execute()
}

export async function userAgentOf(db: Db, sent: Sent): Promise<UserAgentDetail | null> {
  const query = db.selectFrom('user_agent_details').selectAll()
  const found = 'issue_id' in sent ? query.where('issue_id', '=', sent.issue_id) : query.where('snippet_id', '=', sent.snippet_id)
  return (await found.executeTakeFirst()) ?? null
}
