/** The client that sent something, as JSON. */
import type { Db } from '../../../db/database.ts'
import { notFound } from '../../../failure.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { type Sent, userAgentOf } from './user-agents.queries.ts'
import type { UserAgentDetail } from './user-agents.schema.ts'

/** Throws 404 if none is known, because the thing was imported or created by the server. */
export async function presentUserAgent(db: Db, sent: Sent): Promise<Presented<typeof UserAgentDetail>> {
  const detail = await userAgentOf(db, sent)
  if (!detail) throw notFound('UserAgentDetail')
  return { user_agent: detail.user_agent, ip_address: detail.ip_address, akismet_submitted: false }
}
