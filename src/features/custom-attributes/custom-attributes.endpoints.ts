/** What administrators note on users, groups and projects: one family, written once. */
import type { Endpoint } from '../../http/endpoint.ts'

export const customAttributes: Endpoint[] = []
