/** Writes notes, including the quick actions in their bodies. */
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { Instant, Note, StoredName, User } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { countedFor } from '../../../git/repository/handles.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { userKey } from '../../../limits/callers.ts'
import { enqueue } from '../../../queue/queue.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { type Award, awardIn } from '../../discussion/award-emoji/award-emoji.ts'
import { traceLater } from '../../discussion/diff-discussions/diff-discussions.ts'
import {
  changeNoteIn,
  createNoteIn,
  insertSystemNote,
  maxNote_chars,
  type NewNote,
  type NotePlace,
  removeNoteIn,
} from '../../discussion/notes/notes.ts'
import { onlyEmojiIn } from '../../instance/emoji-names.ts'
import { isIssuable, isStored, kindOf, type Noteable } from '../../noteable-kinds.ts'
import { type PositionRequest, placeOnCommit, placeOnMergeRequest, suggestionsAt } from '../../review/diff-notes/diff-notes.ts'
import { currentVersion } from '../../review/versions/versions.ts'
import {
  applyUpdates,
  type Command,
  type Interpreted,
  interpretQuickActions,
  type Known,
  knownFor,
  nothingKnown,
  splitQuickActions,
} from '../quick-actions/quick-actions.ts'
import { type TaggedCommit, tagCommit } from './commit-tags.service.ts'
import { mergeAskedJob, rebaseAskedJob } from './notes.jobs.ts'

export interface NoteRequest extends Omit<NewNote, 'created_at' | 'place'> {
  created_at?: Instant | null | undefined
  /** The position on a diff at which it opens a discussion, for noteables with a diff. */
  position?: PositionRequest | null | undefined
  /** The commit of a merge request whose diff that is. */
  commit_id?: string | null | undefined
}

/** The result of a request: a note with what its quick actions did; only what these did; or the emoji that it awarded. */
export type Written =
  | { kind: 'note'; note: Note; commands: Interpreted }
  | { kind: 'commands'; commands: Interpreted }
  | { kind: 'award'; award: Award }

/** A note before its transaction. */
export interface PreparedNote extends Omit<NewNote, 'body'> {
  text: string
  commands: Command[]
  known: Known
  emoji: string | null
  /** The result of the quick actions of a note on a commit. */
  tagged: TaggedCommit | null
}

/**
 * Writes a note on something that the author can see, and runs the quick actions in its body that they may use. Only owners may set its
 * date; others' is ignored. Throws 400 for an invalid body or position, for a reply to a system note, and if the body consists only of
 * quick actions of which none could be run; 403 if the discussion is locked for the author; 404 if the discussion doesn't exist.
 */
export async function writeNote(app: App, author: User, noteable: Noteable, sent: NoteRequest): Promise<Written> {
  const prepared = await prepareNote(app, author, noteable, sent)
  return inTransaction(app.db, (tx) => writeNoteIn(tx, app, author, noteable, prepared))
}

/** Reads what the note needs from git, and tags its commit if requested; then call `writeNoteIn` in a transaction. */
export async function prepareNote(app: App, author: User, noteable: Noteable, sent: NoteRequest): Promise<PreparedNote> {
  const { body, created_at, position, commit_id, ...request } = sent
  assertValid({ note: blankError(body) ?? lengthError(body, maxNote_chars) })
  const kind = kindOf(noteable)
  // If a kind has no quick actions, what looks like one is text.
  const { text, commands } = kind.takesQuickActions ? splitQuickActions(body) : { text: body, commands: [] }
  const emoji = kind.awardsEmojiBodies && request.discussion === undefined ? onlyEmojiIn(text) : null
  const place = position ? await placeOf(app, author, noteable, { position, commit_id: commit_id || null, text }) : undefined
  const date = may('set_dates', noteable.level) ? (created_at ?? undefined) : undefined
  const actor = { user: author, project: noteable.project, level: noteable.level }
  const known = isIssuable(noteable) ? await knownFor(app, actor, noteable, commands) : nothingKnown
  const tagged = noteable.kind === 'commit' ? await tagCommit(app, actor, noteable.row.oid, commands) : null
  return { ...request, text, commands, known, emoji, tagged, place, created_at: date }
}

/** If the body only tags a commit, the system note about the tag is the result. */
export async function writeNoteIn(tx: Tx, app: App, author: User, noteable: Noteable, prepared: PreparedNote): Promise<Written> {
  const { text, commands, known, emoji, tagged, ...request } = prepared
  if (emoji !== null && isStored(noteable)) return { kind: 'award', award: await awardFor(tx, author, noteable, emoji) }
  const actor = { user: author, project: noteable.project, level: noteable.level }
  // Interpreted before the note is written, but applied after it, so that the note is displayed first.
  const done = isIssuable(noteable)
    ? await interpretQuickActions(tx, app.config, actor, noteable, commands, known)
    : (tagged?.commands ?? { updates: {}, summary: [], refusals: [] })
  const isBlank = text.trim() === ''
  if (isBlank && done.summary.length === 0) throw invalid({ commands_only: done.refusals })
  const written = isBlank ? null : await createNoteIn(tx, author, noteable, { ...request, body: text })
  const told = tagged?.text && (await insertSystemNote(tx, { ...tagged.text, noteable, author_id: author.id }))
  if (written && request.place) await traceLater(tx, noteable, written)
  if (isIssuable(noteable)) await applyUpdates(tx, app.config, actor, noteable, done.updates)
  const { merge: sha, rebase } = done.updates
  if (sha !== undefined && noteable.kind === 'merge_request')
    await enqueue(tx, mergeAskedJob, { merge_request_id: noteable.row.id, user_id: author.id, sha })
  if (rebase !== undefined && noteable.kind === 'merge_request')
    await enqueue(tx, rebaseAskedJob, { merge_request_id: noteable.row.id, user_id: author.id, sha: rebase })
  const note = written ?? told
  return note ? { kind: 'note', note, commands: done } : { kind: 'commands', commands: done }
}

async function awardFor(tx: Tx, user: User, noteable: Noteable<StoredName>, name: string): Promise<Award> {
  return { ...(await awardIn(tx, user, { noteable, note: null }, name)), user }
}

/**
 * Changes the body of a note. Throws 400 for an invalid one, 409 where it is another than `replacing` by then. Quick actions in it are
 * text.
 */
export async function editNote(
  app: App,
  editor: User,
  noteable: Noteable,
  note: Note,
  body: string,
  { replacing }: { replacing?: string } = {},
): Promise<Note> {
  const place = kindOf(noteable).takesSuggestions ? note.position : null
  const suggestions = place === null ? [] : await suggestionsAt(repoFor(app, editor, noteable), place, body)
  return inTransaction(app.db, (tx) => changeNoteIn(tx, editor, noteable, note.id, body, { suggestions, replacing }))
}

export function removeNote(app: App, actor: User, noteable: Noteable, note: Note): Promise<void> {
  return inTransaction(app.db, (tx) => removeNoteIn(tx, actor, noteable, note.id))
}

/** Validated against the newest version of the diff; for a commit, against its own diff. */
export async function placeOf(
  app: App,
  author: User,
  noteable: Noteable,
  { position, commit_id, text }: { position: PositionRequest; commit_id: string | null; text: string },
): Promise<NotePlace | undefined> {
  const repo = repoFor(app, author, noteable)
  if (noteable.kind === 'commit')
    return { ...(await placeOnCommit(repo, await readCommit(repo, noteable.row.oid), position)), suggestions: [] }
  if (noteable.kind !== 'merge_request') return undefined
  await currentVersion(app, noteable.row)
  const place = await placeOnMergeRequest(app.db, repo, noteable.row.id, position, commit_id)
  return { ...place, suggestions: await suggestionsAt(repo, place.position, text) }
}

function repoFor(app: App, user: User, { project }: Noteable): Repo {
  return countedFor(app.git.open(project.id), userKey(user))
}
