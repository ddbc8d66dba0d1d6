/** What users say they are at (spec 2.1, 4.7). */
import type { Endpoint } from '../../http/endpoint.ts'

export const userStatus: Endpoint[] = []
