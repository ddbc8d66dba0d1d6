/** archive */
import type { Endpoint } from '../../http/endpoint.ts'

export const archives: Endpoint[] = []
