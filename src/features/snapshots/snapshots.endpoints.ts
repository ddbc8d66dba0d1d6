/** A repository as it stands on disk, for administrators. */
import type { Endpoint } from '../../http/endpoint.ts'

export const snapshots: Endpoint[] = []
