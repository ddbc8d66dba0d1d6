/** SSH keys of users (spec 2.1, 4.7). */
import type { Endpoint } from '../../http/endpoint.ts'

export const keys: Endpoint[] = []
