/** GPG keys of users. */
import type { Endpoint } from '../../http/endpoint.ts'

export const gpgKeys: Endpoint[] = []
