/** Slash commands of chats: what other features may use. */
export { type ListedChatName, listChatNames } from './chat-names.queries.ts'
export { connectChatName, disconnectChatName, requestedConnection } from './chat-names.service.ts'
