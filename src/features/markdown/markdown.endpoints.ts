/** Rendering Markdown. */
import type { Endpoint } from '../../http/endpoint.ts'

export const markdown: Endpoint[] = []
