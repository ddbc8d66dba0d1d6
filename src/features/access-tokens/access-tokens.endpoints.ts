/** Personal access tokens and impersonation tokens. */
import type { Endpoint } from '../../http/endpoint.ts'

export const accessTokens: Endpoint[] = []
