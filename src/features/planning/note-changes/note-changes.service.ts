/** Writes notes as requests ask for, with the quick actions of their bodies. */
import { accessLevels } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { Instant, Note, User } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { countedFor, type Repo } from '../../../git/repository/repository.ts'
import { userKey } from '../../../limits/streams.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { onlyEmojiIn } from '../../instance/emoji-names.ts'
import { type PositionRequest, placeOnMergeRequest, suggestionsAt } from '../../review/diff-notes/diff-notes.ts'
import { traceLater } from '../../review/discussions/discussions.ts'
import { currentVersion } from '../../review/versions/versions.ts'
import { type Award, awardIn } from '../award-emoji/award-emoji.ts'
import { kindsByName, type Noteable } from '../noteables/noteables.ts'
import { changeNoteIn, createNoteIn, maxNote_chars, type NewNote, type NotePlace, removeNoteIn } from '../notes/notes.ts'
import { applyUpdates, type Command, type Interpreted, interpretQuickActions, splitQuickActions } from '../quick-actions/quick-actions.ts'

export interface NoteRequest extends Omit<NewNote, 'created_at' | 'place'> {
  created_at?: Instant | null | undefined
  /** Where on a diff it opens a discussion, on things that have one. */
  position?: PositionRequest | null | undefined
  /** The commit of a merge request on whose diff that is. */
  commit_id?: string | null | undefined
}

/** What became of a request: a note with what its quick actions did; what these did alone; or the emoji that it awarded. */
export type Written =
  | { kind: 'note'; note: Note; commands: Interpreted }
  | { kind: 'commands'; commands: Interpreted }
  | { kind: 'award'; award: Award }

/** What is known of a note before its transaction. */
export interface PreparedNote extends Omit<NewNote, 'body'> {
  text: string
  commands: Command[]
  emoji: string | null
}

/**
 * Writes a note on what the author can see, and runs the quick actions of its body that they may. Its date is for owners alone, and
 * ignored of others. Throws 400 for an invalid body or position, for a reply to a single note, and where the body is nothing but quick
 * actions of which none could be run; 403 where the discussion is locked for the author; 404 where the discussion isn't there.
 */
export async function writeNote(app: App, author: User, noteable: Noteable, sent: NoteRequest): Promise<Written> {
  const prepared = await prepareNote(app, author, noteable, sent)
  return inTransaction(app.db, (tx) => writeNoteIn(tx, app, author, noteable, prepared))
}

/** Reads from git what the note needs: the transaction follows with `writeNoteIn`. */
export async function prepareNote(app: App, author: User, noteable: Noteable, sent: NoteRequest): Promise<PreparedNote> {
  const { body, created_at, position, commit_id, ...request } = sent
  assertValid({ note: blankError(body) ?? lengthError(body, maxNote_chars) })
  const { text, commands } = splitQuickActions(body)
  const emoji = kindsByName[noteable.kind].awardsEmojiBodies && request.discussion === undefined ? onlyEmojiIn(text) : null
  const place = position ? await placeOf(app, author, noteable, { position, commit_id: commit_id || null, text }) : undefined
  const date = noteable.level >= accessLevels.owner ? (created_at ?? undefined) : undefined
  return { ...request, text, commands, emoji, place, created_at: date }
}

export async function writeNoteIn(tx: Tx, app: App, author: User, noteable: Noteable, prepared: PreparedNote): Promise<Written> {
  const { text, commands, emoji, ...request } = prepared
  if (emoji !== null) return { kind: 'award', award: await awardFor(tx, author, noteable, emoji) }
  const actor = { user: author, project: noteable.project, level: noteable.level }
  // Understood before the note is written, and done after it: so the note comes first in what is shown.
  const done = await interpretQuickActions(tx, app.config, actor, noteable, commands)
  if (text.trim() === '' && done.summary.length === 0) throw invalid({ commands_only: done.refusals })
  const note = text.trim() === '' ? null : await createNoteIn(tx, author, noteable, { ...request, body: text })
  if (note && request.place) await traceLater(tx, noteable, note)
  await applyUpdates(tx, app.config, actor, noteable, done.updates)
  return note ? { kind: 'note', note, commands: done } : { kind: 'commands', commands: done }
}

async function awardFor(tx: Tx, user: User, noteable: Noteable, name: string): Promise<Award> {
  return { ...(await awardIn(tx, user, { noteable, note: null }, name)), user }
}

/** Changes the body of a note. Throws 400 for an invalid one. Quick actions in it are text. */
export async function editNote(app: App, editor: User, noteable: Noteable, note: Note, body: string): Promise<Note> {
  const suggestions = note.position === null ? [] : await suggestionsAt(repoFor(app, editor, noteable), note.position, body)
  return inTransaction(app.db, (tx) => changeNoteIn(tx, editor, note.id, body, { suggestions }))
}

export function removeNote(app: App, actor: User, noteable: Noteable, note: Note): Promise<void> {
  return inTransaction(app.db, (tx) => removeNoteIn(tx, actor, noteable, note.id))
}

/** Checked against the newest version of the diff. */
export async function placeOf(
  app: App,
  author: User,
  noteable: Noteable,
  { position, commit_id, text }: { position: PositionRequest; commit_id: string | null; text: string },
): Promise<NotePlace | undefined> {
  if (noteable.kind !== 'merge_request') return undefined
  const repo = repoFor(app, author, noteable)
  await currentVersion(app, noteable.row)
  const place = await placeOnMergeRequest(app.db, repo, noteable.row.id, position, commit_id)
  return { ...place, suggestions: await suggestionsAt(repo, place.position, text) }
}

function repoFor(app: App, user: User, { project }: Noteable): Repo {
  return countedFor(app.git.open(project.id), userKey(user))
}
