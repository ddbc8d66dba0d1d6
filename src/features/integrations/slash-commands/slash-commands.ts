/** Slash commands of chats: what others may use of them. */
export { type ListedChatName, listChatNames } from './chat-names.queries.ts'
export { connectChatName, disconnectChatName, requestedConnection } from './chat-names.service.ts'
