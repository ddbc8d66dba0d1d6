/** statuses */
import type { Endpoint } from '../../http/endpoint.ts'

export const statuses: Endpoint[] = []
