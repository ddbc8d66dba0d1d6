/** Changing and deleting groups, and what is in them (spec 4.8). */
import type { Endpoint } from '../../http/endpoint.ts'

export const groupChanges: Endpoint[] = []
