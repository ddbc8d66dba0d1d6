/** changes */
import type { Endpoint } from '../../http/endpoint.ts'

export const fileChanges: Endpoint[] = []
