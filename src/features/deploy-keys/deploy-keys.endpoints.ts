/** Deploy keys of projects, and of the instance. */
import type { Endpoint } from '../../http/endpoint.ts'

export const deployKeys: Endpoint[] = []
