/** What administrators tell everybody. */
import type { Endpoint } from '../../http/endpoint.ts'

export const broadcastMessages: Endpoint[] = []
