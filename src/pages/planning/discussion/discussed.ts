/** What a page shows with its discussion, as it is granted to somebody. */
import type { Noteable } from '../../../features/planning/noteables/noteables.ts'
import type { ProjectGranted } from '../../../http/rules.ts'
import type { Visit } from '../../frame/declaration.ts'

export type Discussed = Visit & ProjectGranted & { noteable: Noteable }

const folders: Record<Noteable['kind'], string> = { issue: 'issues', merge_request: 'merge_requests' }

/** The page of an issue. */
export function noteableAddress({ kind, project, row }: Pick<Noteable, 'kind' | 'project' | 'row'>): string {
  return `/${project.full_path}/${folders[kind]}/${row.iid}`
}
