/** When users were last seen. */
import type { Endpoint } from '../../http/endpoint.ts'

export const userActivities: Endpoint[] = []
