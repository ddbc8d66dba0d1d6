/** Files attached to the texts of a project. */
import type { Endpoint } from '../../http/endpoint.ts'

export const uploads: Endpoint[] = []
