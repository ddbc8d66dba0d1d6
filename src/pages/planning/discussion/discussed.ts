/** What a page shows with its discussion, as it is granted to somebody. */
import type { Noteable, NoteablePath, NoteableRow } from '../../../features/discussion/noteables/noteables.ts'
import { apiRoot } from '../../../http/declare/endpoint.ts'
import type { ProjectGranted } from '../../../http/declare/rules.ts'
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

/** Where who is signed in can read all of a note, however long it is: in the API. */
export function wholeNoteAddress(
  noteable: NoteableRow & Pick<Noteable, 'project'>,
  note: { id: number; discussion_id: string } | undefined,
): string {
  const at = wholeAddress(noteable)
  if (!note) return at
  return noteable.kind === 'commit' ? wholeDiscussionAddress(noteable, note.discussion_id) : `${at}/notes/${note.id}`
}

/** The same for a discussion. */
export function wholeDiscussionAddress(noteable: NoteableRow & Pick<Noteable, 'project'>, discussion_id: string): string {
  return `${wholeAddress(noteable)}/discussions/${discussion_id}`
}

/** The same for the description of a noteable. */
export function wholeAddress({ project, ...noteable }: NoteableRow & Pick<Noteable, 'project'>): string {
  const at = `${apiRoot}/projects/${project.id}`
  if (noteable.kind === 'snippet') return `${at}/snippets/${noteable.row.id}`
  if (noteable.kind === 'commit') return `${at}/repository/commits/${noteable.row.oid}`
  return `${at}/${noteable.kind === 'issue' ? 'issues' : 'merge_requests'}/${noteable.row.iid}`
}
