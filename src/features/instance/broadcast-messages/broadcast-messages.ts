/** Broadcast messages: what others may use of them. */
export { activeMessages, deleteMessage, listMessages } from './broadcast-messages.queries.ts'
export { changeMessage, createMessage, findMessage, isActive, type SentMessage } from './broadcast-messages.service.ts'
