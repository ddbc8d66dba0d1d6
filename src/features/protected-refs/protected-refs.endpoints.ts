/** protected-refs */
import type { Endpoint } from '../../http/endpoint.ts'

export const protectedRefs: Endpoint[] = []
