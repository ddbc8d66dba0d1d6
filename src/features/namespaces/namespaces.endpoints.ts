/** Where projects can be: the personal namespaces and the groups. */
import type { Endpoint } from '../../http/endpoint.ts'

export const namespaces: Endpoint[] = []
