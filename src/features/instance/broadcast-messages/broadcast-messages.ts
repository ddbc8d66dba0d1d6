/** Broadcast messages: what other features may use. */
export { activeMessages, deleteMessage, listMessages } from './broadcast-messages.queries.ts'
export { changeMessage, createMessage, findMessage, isActive, type SentMessage } from './broadcast-messages.service.ts'
