/** Asking to become a member: one family for projects and groups. */
import type { Endpoint } from '../../http/endpoint.ts'

export const accessRequests: Endpoint[] = []
