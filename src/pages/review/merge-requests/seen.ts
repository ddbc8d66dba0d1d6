/** A merge request as a page shows it to somebody. */
import type { MergeRequest } from '../../../db/tables.ts'
import type { Issuable } from '../../../features/discussion/noteables/noteables.ts'
import type { ProjectGranted } from '../../../http/declare/rules.ts'
import type { Visit } from '../../frame/declaration.ts'

export type MergeRequestSeen = Visit & ProjectGranted & { merge_request: MergeRequest }

export function noteableOf({ merge_request, project, level }: Pick<MergeRequestSeen, 'merge_request' | 'project' | 'level'>): Issuable {
  return { kind: 'merge_request', row: merge_request, project, level }
}
