/** Records which client sent something. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { insertUserAgent, type Sent } from './user-agents.queries.ts'

/** The client of a request. */
export interface Client {
  ip: string
  user_agent: string
}

const maxUserAgent_chars = 1_000

export function keepUserAgent(tx: Tx, sent: Sent, { ip, user_agent }: Client): Promise<void> {
  return insertUserAgent(tx, { ...sent, user_agent: user_agent.slice(0, maxUserAgent_chars), ip_address: ip, created_at: now() })
}
