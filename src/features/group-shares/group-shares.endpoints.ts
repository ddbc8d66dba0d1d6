/** Giving a group part in a project. */
import type { Endpoint } from '../../http/endpoint.ts'

export const groupShares: Endpoint[] = []
