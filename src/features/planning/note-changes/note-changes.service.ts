/** Writes notes as requests ask for, with the quick actions of their bodies. */
import { accessLevels } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { Instant, Note, User } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { onlyEmojiIn } from '../../instance/emoji-names.ts'
import { type Award, awardIn } from '../award-emoji/award-emoji.ts'
import { kindsByName, type Noteable } from '../noteables/noteables.ts'
import { changeNoteIn, createNoteIn, maxNote_chars, type NewNote, removeNoteIn } from '../notes/notes.ts'
import { applyUpdates, type Interpreted, interpretQuickActions, splitQuickActions } from '../quick-actions/quick-actions.ts'

export interface NoteRequest extends Omit<NewNote, 'created_at'> {
  created_at?: Instant | null | undefined
}

/** What became of a request: a note with what its quick actions did; what these did alone; or the emoji that it awarded. */
export type Written =
  | { kind: 'note'; note: Note; commands: Interpreted }
  | { kind: 'commands'; commands: Interpreted }
  | { kind: 'award'; award: Award }

/**
 * Writes a note on what the author can see, and runs the quick actions of its body that they may. Its date is for owners alone, and
 * ignored of others. Throws 400 for an invalid body, for a reply to a single note, and where the body is nothing but quick actions
 * of which none could be run; 403 where the discussion is locked for the author; 404 where the discussion isn't there.
 */
export function writeNote(app: App, author: User, noteable: Noteable, { body, created_at, ...request }: NoteRequest): Promise<Written> {
  assertValid({ note: blankError(body) ?? lengthError(body, maxNote_chars) })
  const { text, commands } = splitQuickActions(body)
  const emoji = kindsByName[noteable.kind].awardsEmojiBodies && request.discussion === undefined ? onlyEmojiIn(text) : null
  return inTransaction(app.db, async (tx) => {
    if (emoji !== null) return { kind: 'award', award: await awardFor(tx, author, noteable, emoji) }
    const actor = { user: author, project: noteable.project, level: noteable.level }
    // Understood before the note is written, and done after it: so the note comes first in what is shown.
    const done = await interpretQuickActions(tx, app.config, actor, noteable, commands)
    if (text.trim() === '' && done.summary.length === 0) throw invalid({ commands_only: done.refusals })
    const date = noteable.level >= accessLevels.owner ? (created_at ?? undefined) : undefined
    const note = text.trim() === '' ? null : await createNoteIn(tx, author, noteable, { ...request, body: text, created_at: date })
    await applyUpdates(tx, app.config, actor, noteable, done.updates)
    return note ? { kind: 'note', note, commands: done } : { kind: 'commands', commands: done }
  })
}

async function awardFor(tx: Tx, user: User, noteable: Noteable, name: string): Promise<Award> {
  return { ...(await awardIn(tx, user, { noteable, note: null }, name)), user }
}

/** Changes the body of a note. Throws 400 for an invalid one. Quick actions in it are text. */
export function editNote(app: App, editor: User, note: Note, body: string): Promise<Note> {
  return inTransaction(app.db, (tx) => changeNoteIn(tx, editor, note.id, body))
}

export function removeNote(app: App, actor: User, noteable: Noteable, note: Note): Promise<void> {
  return inTransaction(app.db, (tx) => removeNoteIn(tx, actor, noteable, note.id))
}
