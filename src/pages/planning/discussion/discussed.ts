/** What a page shows with its discussion, as it is granted to somebody. */
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

/** Where who is signed in can read all of a note, however long it is: in the API. */
export function wholeNoteAddress(
  noteable: NoteableRow & Pick<Noteable, 'project'>,
  note: { id: number; discussion_id: string } | undefined,
): string {
  const at = wholeAddress(noteable)
  if (!note) return at
  return kindOf(noteable).hasSingleNotes ? `${at}/notes/${note.id}` : `${at}/discussions/${note.discussion_id}`
}

/** The same for its description. */
export function wholeAddress({ project, ...noteable }: NoteableRow & Pick<Noteable, 'project'>): string {
  return `${apiRoot}/projects/${project.id}/${apiPathOf(noteable)}`
}
