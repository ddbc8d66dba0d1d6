/** A merge request that an access rule has granted to a viewer. */
import type { MergeRequest } from '../../../db/tables.ts'
import type { Noteable } from '../../../features/noteable-kinds.ts'
import type { ProjectGranted } from '../../../http/declare/rules.ts'
import type { Visit } from '../../frame/declaration.ts'

export type MergeRequestSeen = Visit & ProjectGranted & { merge_request: MergeRequest }

export function noteableOf({
  merge_request,
  project,
  level,
}: Pick<MergeRequestSeen, 'merge_request' | 'project' | 'level'>): Noteable<'merge_request'> {
  return { kind: 'merge_request', row: merge_request, project, level }
}
