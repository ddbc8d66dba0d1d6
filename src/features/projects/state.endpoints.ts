/** Archiving, starring and moving a project, and who has to do with it. */
import type { Endpoint } from '../../http/endpoint.ts'

export const projectState: Endpoint[] = []
