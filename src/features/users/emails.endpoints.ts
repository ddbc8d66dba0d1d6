/** The addresses of a user besides his primary one. */
import type { Endpoint } from '../../http/endpoint.ts'

export const emails: Endpoint[] = []
