/** Forks of projects. */
import type { Endpoint } from '../../http/endpoint.ts'

export const forks: Endpoint[] = []
