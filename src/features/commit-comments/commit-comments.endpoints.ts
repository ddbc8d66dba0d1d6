/** commit-comments */
import type { Endpoint } from '../../http/endpoint.ts'

export const commitComments: Endpoint[] = []
