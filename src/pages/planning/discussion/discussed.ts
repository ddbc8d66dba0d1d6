/** Something with a discussion that an access rule has granted. */
import type { NoteableRow } from '../../../db/tables.ts'
import { apiPathOf, kindOf, type Noteable, pagePathOf } from '../../../features/noteable-kinds.ts'
import { apiRoot } from '../../../http/declare/endpoint.ts'
import type { ProjectGranted } from '../../../http/declare/rules.ts'
import type { Visit } from '../../frame/declaration.ts'

export type Discussed = Visit & ProjectGranted & { noteable: Noteable }

/** The page of something that is discussed. */
export function noteableAddress({ project, ...noteable }: NoteableRow & Pick<Noteable, 'project'>): string {
  return `/${project.full_path}/${pagePathOf(noteable)}`
}

/** The URL in the API at which signed-in users can read the full text of a note, however long it is. */
export function wholeNoteAddress(
  noteable: NoteableRow & Pick<Noteable, 'project'>,
  note: { id: number; discussion_id: string } | undefined,
): string {
  const at = wholeAddress(noteable)
  if (!note) return at
  return kindOf(noteable).hasSingleNotes ? `${at}/notes/${note.id}` : wholeDiscussionAddress(noteable, note.discussion_id)
}

/** The URL of a whole discussion in the API, for kinds of noteables whose notes have no URL of their own. */
export function wholeDiscussionAddress(noteable: NoteableRow & Pick<Noteable, 'project'>, discussion_id: string): string {
  return `${wholeAddress(noteable)}/discussions/${discussion_id}`
}

/** The URL of the noteable itself in the API, with its whole description. */
export function wholeAddress({ project, ...noteable }: NoteableRow & Pick<Noteable, 'project'>): string {
  return `${apiRoot}/projects/${project.id}/${apiPathOf(noteable)}`
}
