/** Changing, blocking and deleting users (spec 4.7). */
import type { Endpoint } from '../../http/endpoint.ts'

export const userChanges: Endpoint[] = []
