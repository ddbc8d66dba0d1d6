/** Writes notes as requests ask for, with the quick actions of their bodies. */
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { Instant, Note, User } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { countedFor } from '../../../git/repository/handles.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { userKey } from '../../../limits/callers.ts'
import { enqueue } from '../../../queue/queue.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { type Award, awardIn } from '../../discussion/award-emoji/award-emoji.ts'
import { traceLater } from '../../discussion/diff-discussions/diff-discussions.ts'
import { kindsByName, type Noteable, type Stored } from '../../discussion/noteables/noteables.ts'
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
import { mergeAskedJob } from './notes.jobs.ts'

export interface NoteRequest extends Omit<NewNote, 'created_at' | 'place'> {
  created_at?: Instant | null | undefined
  /** The position on a diff at which it opens a discussion, on things that have one. */
  position?: PositionRequest | null | undefined
  /** The commit of a merge request on whose diff that is. */
  commit_id?: string | null | undefined
}

/** The result of a request: a note with what its quick actions did; what these did alone; or the emoji that it awarded. */
export type Written =
  | { kind: 'note'; note: Note; commands: Interpreted }
  | { kind: 'commands'; commands: Interpreted }
  | { kind: 'award'; award: Award }

/** A note as it is known before its transaction. */
export interface PreparedNote extends Omit<NewNote, 'body'> {
  text: string
  commands: Command[]
  known: Known
  emoji: string | null
  /** The result of the quick actions of a note on a commit. */
  tagged: TaggedCommit | null
}

/**
 * Writes a note on what the author can see, and runs the quick actions of its body that they may. Its date is for owners alone, and
 * ignored of others. Throws 400 for an invalid body or position, for a reply to a note of the system, and where the body is nothing but
 * quick actions of which none could be run; 403 where the discussion is locked for the author; 404 where the discussion isn't there.
 */
export async function writeNote(app: App, author: User, noteable: Noteable, sent: NoteRequest): Promise<Written> {
  const prepared = await prepareNote(app, author, noteable, sent)
  return inTransaction(app.db, (tx) => writeNoteIn(tx, app, author, noteable, prepared))
}

/** Reads from git what the note needs, and tags the commit it is on: the transaction follows with `writeNoteIn`. */
export async function prepareNote(app: App, author: User, noteable: Noteable, sent: NoteRequest): Promise<PreparedNote> {
  const { body, created_at, position, commit_id, ...request } = sent
  assertValid({ note: blankError(body) ?? lengthError(body, maxNote_chars) })
  // Snippets have no quick actions: what looks like one is text.
  const { text, commands } = noteable.kind === 'snippet' ? { text: body, commands: [] } : splitQuickActions(body)
  const emoji = kindsByName[noteable.kind].awardsEmojiBodies && request.discussion === undefined ? onlyEmojiIn(text) : null
  const place = position ? await placeOf(app, author, noteable, { position, commit_id: commit_id || null, text }) : undefined
  const date = may('set_dates', noteable.level) ? (created_at ?? undefined) : undefined
  const actor = { user: author, project: noteable.project, level: noteable.level }
  const isCommit = noteable.kind === 'commit'
  const known = noteable.kind === 'commit' || noteable.kind === 'snippet' ? nothingKnown : await knownFor(app, actor, noteable, commands)
  const tagged = isCommit ? await tagCommit(app, actor, noteable.row.oid, commands) : null
  return { ...request, text, commands, known, emoji, tagged, place, created_at: date }
}

export async function writeNoteIn(tx: Tx, app: App, author: User, noteable: Noteable, prepared: PreparedNote): Promise<Written> {
  const { text, commands, known, emoji, tagged, ...request } = prepared
  if (noteable.kind === 'commit') return writeOnCommit(tx, author, noteable, { ...request, body: text }, tagged)
  if (emoji !== null) return { kind: 'award', award: await awardFor(tx, author, noteable, emoji) }
  if (noteable.kind === 'snippet')
    return { kind: 'note', note: await createNoteIn(tx, author, noteable, { ...request, body: text }), commands: noCommands }
  const actor = { user: author, project: noteable.project, level: noteable.level }
  // Understood before the note is written, and done after it: so the note comes first in what is shown.
  const done = await interpretQuickActions(tx, app.config, actor, noteable, commands, known)
  if (text.trim() === '' && done.summary.length === 0) throw invalid({ commands_only: done.refusals })
  const note = text.trim() === '' ? null : await createNoteIn(tx, author, noteable, { ...request, body: text })
  if (note && request.place) await traceLater(tx, noteable, note)
  await applyUpdates(tx, app.config, actor, noteable, done.updates)
  const { merge: sha } = done.updates
  if (sha !== undefined) await enqueue(tx, mergeAskedJob, { merge_request_id: noteable.row.id, user_id: author.id, sha })
  return note ? { kind: 'note', note, commands: done } : { kind: 'commands', commands: done }
}

const noCommands: Interpreted = { updates: {}, summary: [], refusals: [] }

type OnCommit = Extract<Noteable, { kind: 'commit' }>

/** If the body is nothing but a tag, the note that tells of it is what was written. */
async function writeOnCommit(tx: Tx, author: User, noteable: OnCommit, request: NewNote, tagged: TaggedCommit | null): Promise<Written> {
  const { commands, text } = tagged ?? { commands: { updates: {}, summary: [], refusals: [] }, text: null }
  const written = request.body.trim() === '' ? null : await createNoteIn(tx, author, noteable, request)
  const told = text && (await insertSystemNote(tx, { ...text, noteable, author_id: author.id }))
  const note = written ?? told
  if (!note) throw invalid({ commands_only: commands.refusals })
  return { kind: 'note', note, commands }
}

async function awardFor(tx: Tx, user: User, noteable: Stored, name: string): Promise<Award> {
  return { ...(await awardIn(tx, user, { noteable, note: null }, name)), user }
}

/** Changes the body of a note. Throws 400 for an invalid one. Quick actions in it are text. */
export async function editNote(app: App, editor: User, noteable: Noteable, note: Note, body: string): Promise<Note> {
  const isProposal = note.position !== null && noteable.kind === 'merge_request'
  const suggestions = !isProposal ? [] : await suggestionsAt(repoFor(app, editor, noteable), note.position as string, body)
  return inTransaction(app.db, (tx) => changeNoteIn(tx, editor, note.id, body, { suggestions }))
}

export function removeNote(app: App, actor: User, noteable: Noteable, note: Note): Promise<void> {
  return inTransaction(app.db, (tx) => removeNoteIn(tx, actor, noteable, note.id))
}

/** Checked against the newest version of the diff; on a commit against what it changed. */
export async function placeOf(
  app: App,
  author: User,
  noteable: Noteable,
  { position, commit_id, text }: { position: PositionRequest; commit_id: string | null; text: string },
): Promise<NotePlace | undefined> {
  if (noteable.kind === 'issue' || noteable.kind === 'snippet') return undefined
  const repo = repoFor(app, author, noteable)
  if (noteable.kind === 'commit')
    return { ...(await placeOnCommit(repo, await readCommit(repo, noteable.row.oid), position)), suggestions: [] }
  await currentVersion(app, noteable.row)
  const place = await placeOnMergeRequest(app.db, repo, noteable.row.id, position, commit_id)
  return { ...place, suggestions: await suggestionsAt(repo, place.position, text) }
}

function repoFor(app: App, user: User, { project }: Noteable): Repo {
  return countedFor(app.git.open(project.id), userKey(user))
}
