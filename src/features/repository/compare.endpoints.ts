/** compare */
import type { Endpoint } from '../../http/endpoint.ts'

export const comparisons: Endpoint[] = []
