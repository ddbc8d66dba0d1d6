/** The client that sent an issue or a snippet, for administrators: what others may use of it. */

export { presentUserAgent } from './user-agents.present.ts'
export { type Client, keepUserAgent } from './user-agents.service.ts'
