/** The client that sent an issue or a snippet, for administrators: what other features may use. */

export { presentUserAgent } from './user-agents.present.ts'
export { type Client, keepUserAgent } from './user-agents.service.ts'
