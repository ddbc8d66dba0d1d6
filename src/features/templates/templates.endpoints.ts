/** Texts to begin with: licences and what git is to ignore. */
import type { Endpoint } from '../../http/endpoint.ts'

export const templates: Endpoint[] = []
