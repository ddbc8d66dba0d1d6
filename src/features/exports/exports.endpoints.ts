/** A whole project as an archive, and back. */
import type { Endpoint } from '../../http/endpoint.ts'

export const exports: Endpoint[] = []
