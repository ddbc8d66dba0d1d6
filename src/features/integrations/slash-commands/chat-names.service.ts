/** Connects chat accounts to user accounts, by a link that only the chat user is shown. */
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import type { ChatName, Integration, User } from '../../../db/tables.ts'
import { Failure, missing, notFound } from '../../../failure.ts'
import { integrationById } from '../services/services.ts'
import { type ChatUser, chatNameOf, deleteChatName, insertChatName, noteUse } from './chat-names.queries.ts'

/** As sent by a chat. */
export interface SentChatUser {
  team_id?: string | undefined
  team_domain?: string | undefined
  user_id?: string | undefined
  user_name?: string | undefined
}

const purpose = 'chat_names.request'
const valid_ms = 10 * 60_000
const hour_ms = 60 * 60_000

/** Null if nobody has connected this chat account. Its use is recorded once an hour. */
export async function findChatName(db: Db, integration_id: number, sent: SentChatUser, at: Date): Promise<ChatName | null> {
  const found = await chatNameOf(db, { integration_id, team_id: sent.team_id ?? '', chat_id: sent.user_id ?? '' })
  if (found && (found.last_used_at === null || Date.parse(found.last_used_at) < at.getTime() - hour_ms))
    await noteUse(db, found.id, at.toISOString())
  return found
}

/** The page on which they can connect their account, valid for ten minutes. Null if the chat does not identify them. */
export function connectionUrl({ config, secrets }: App, integration: Integration, sent: SentChatUser, at: Date): string | null {
  const { team_id, team_domain, user_id: chat_id, user_name: chat_name } = sent
  if (!team_id || !team_domain || !chat_id || !chat_name) return null
  const chat: ChatUser = { integration_id: integration.id, team_id, team_domain, chat_id, chat_name }
  const token = secrets.seal(JSON.stringify({ ...chat, until: at.getTime() + valid_ms }), purpose)
  return `${config.url}/profile/chat_names/new?token=${token}`
}

/**
 * The connection that a link requests. Throws 404 if this instance did not create the link, or it has expired, or its integration was
 * deleted or deactivated.
 */
export async function requestedConnection(app: App, token: string, at: Date): Promise<{ chat: ChatUser; integration: Integration }> {
  const { until, ...chat } = unsealed(app, token)
  const integration = await integrationById(app.db, chat.integration_id)
  if (until < at.getTime() || !integration?.active) throw notFound()
  return { chat, integration }
}

function unsealed({ secrets }: App, token: string): ChatUser & { until: number } {
  try {
    return JSON.parse(secrets.unseal(token, purpose))
  } catch {
    throw notFound()
  }
}

/** Throws 404 as `requestedConnection` does, 409 if this chat account is already connected. */
export async function connectChatName(app: App, user: User, token: string, at: Date): Promise<ChatUser> {
  const { chat } = await requestedConnection(app, token, at)
  const isNew = await inTransaction(app.db, (tx) => insertChatName(tx, user.id, chat))
  if (!isNew) throw new Failure('conflict', 'This user of the chat is connected already.')
  return chat
}

export async function disconnectChatName(db: Db, user: User, id: number): Promise<void> {
  if (!(await deleteChatName(db, user.id, id))) throw missing()
}
