/** Badges of projects and groups: one family, written once. */
import type { Endpoint } from '../../http/endpoint.ts'

export const badges: Endpoint[] = []
