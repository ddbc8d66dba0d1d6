/** What a page shows with its discussion, as it is granted to somebody. */
import type { Noteable, NoteablePath, NoteableRow } from '../../../features/planning/noteables/noteables.ts'
import type { ProjectGranted } from '../../../http/rules.ts'
import type { Visit } from '../../frame/declaration.ts'

export type Discussed = Visit & ProjectGranted & { noteable: Noteable }

/** The addresses of the kinds below a project. */
export const pagePaths = {
  issues: 'issues/:issue_iid',
  merge_requests: 'merge_requests/:merge_request_iid',
  commits: 'commit/:sha',
  snippets: 'snippets/:snippet_id',
} as const satisfies Record<NoteablePath, string>

/** The page of an issue, a merge request or a commit. */
export function noteableAddress({ project, ...noteable }: NoteableRow & Pick<Noteable, 'project'>): string {
  const at = `/${project.full_path}`
  if (noteable.kind === 'snippet') return `${at}/snippets/${noteable.row.id}`
  if (noteable.kind === 'commit') return `${at}/commit/${noteable.row.oid}`
  return `${at}/${noteable.kind === 'issue' ? 'issues' : 'merge_requests'}/${noteable.row.iid}`
}
