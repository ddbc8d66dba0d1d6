/** settings */
import type { Endpoint } from '../../http/endpoint.ts'

export const settings: Endpoint[] = []
