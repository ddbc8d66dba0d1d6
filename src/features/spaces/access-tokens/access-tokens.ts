/** Access tokens: what other features may use. */
export { presentToken } from './access-tokens.present.ts'
export { botsInactiveSince, listTokens, tokenById } from './access-tokens.queries.ts'
export { asCredential, makeToken, readScopes, serviceScopes, textErrors, type WantedToken } from './access-tokens.service.ts'
export { revokeToken, rotateToken } from './lifecycle.service.ts'
