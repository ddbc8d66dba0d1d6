/** Writing, editing and deleting notes on any kind of noteable: one family (spec 4.5, 4.6). */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import { badParameter, forbidden, invalid } from '../../../failure.ts'
import { type Endpoint, endpoint } from '../../../http/declare/endpoint.ts'
import { type Outcome, outcome } from '../../../http/declare/outcome.ts'
import { allowed } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { none, type Presented } from '../../../http/parameters/schema.ts'
import { presentAward } from '../../discussion/award-emoji/award-emoji.ts'
import { resolveDiscussion, resolveNote } from '../../discussion/diff-discussions/diff-discussions.ts'
import { Discussion, Note } from '../../discussion/notes/notes.schema.ts'
import {
  canChangeNote,
  discussionOn,
  findNote,
  isNoteResolvable,
  noteOfDiscussion,
  noteOn,
  presentDiscussion,
  presentDiscussions,
  presentNotes,
} from '../../discussion/notes/notes.ts'
import { aliasOf, type Noteable, type NoteableKind, noteableKinds } from '../../noteable-kinds.ts'
import { changeableNote, changeableOrResolvableNote, discussible, resolvableDiscussion } from './notes.access.ts'
import {
  changedNote,
  changedReply,
  maxNote_bytes,
  type NoteCommands,
  newCommitNote,
  newDiffNote,
  newNote,
  newReply,
  WrittenDiscussion,
  WrittenNote,
} from './notes.schema.ts'
import { editNote, removeNote, type Written, writeNote } from './notes.service.ts'

const reserved = { internal: [allowed('write_internal_notes')], confidential: [allowed('write_internal_notes')] }

const commandsAlone = { 202: 'Quick actions alone: they were carried out, and nothing was created' }

/** Endpoints that change the notes and discussions of a kind of noteable. */
function noteChangesOn(kind: NoteableKind): Endpoint[] {
  return [...onNotes(kind), ...onDiscussions(kind)]
}

function onNotes(kind: NoteableKind): Endpoint[] {
  const { path, label, access } = kind
  return [
    endpoint(`POST /projects/:id/${path}/notes`, {
      limit: 'notes_create',
      summary: `Write a note on ${label}`,
      access: discussible(access),
      body: newNote,
      reserved,
      maxBody_bytes: maxNote_bytes,
      reply: WrittenNote,
      outcomes: commandsAlone,
      async handle({ app, user, noteable, body: { body, created_at, internal, confidential } }) {
        const request = { body, created_at, internal: internal ?? confidential }
        return presentWritten(app, noteable, await writeNote(app, user, noteable, request))
      },
    }),
    endpoint(`PUT /projects/:id/${path}/notes/:note_id`, {
      summary: `Update a note of ${label}`,
      access: changeableNote(noteOn(kind)),
      body: changedNote,
      maxBody_bytes: maxNote_bytes,
      reply: Note,
      async handle({ app, user, noteable, note, body }) {
        return present(app, noteable, await editNote(app, user, noteable, note, body.body))
      },
    }),
    endpoint(`DELETE /projects/:id/${path}/notes/:note_id`, {
      summary: `Delete a note of ${label}`,
      access: changeableNote(noteOn(kind)),
      reply: none,
      lastChanged: ({ note }) => note.updated_at,
      async handle({ app, user, noteable, note }) {
        await removeNote(app, user, noteable, note)
        return null
      },
    }),
  ]
}

function onDiscussions(kind: NoteableKind): Endpoint[] {
  const { path, label, access, resolvable } = kind
  return [
    ...(resolvable ? [resolving(kind)] : []),
    endpoint(`POST /projects/:id/${path}/discussions`, {
      limit: 'notes_create',
      ...aliasOf(kind, 'POST', '/discussions'),
      summary: `Open a discussion on ${label}`,
      access: discussible(access),
      body: bodyOf(kind),
      reserved: kind.hasInternalNotes ? reserved : {},
      maxBody_bytes: maxNote_bytes,
      reply: WrittenDiscussion,
      outcomes: commandsAlone,
      async handle({ app, user, noteable, body: { internal, confidential, ...sent } }) {
        const request = { ...sent, internal: internal ?? confidential, discussion: 'new' as const }
        return presentOpened(app, noteable, await writeNote(app, user, noteable, request))
      },
    }),
    endpoint(`POST /projects/:id/${path}/discussions/:discussion_id/notes`, {
      limit: 'notes_create',
      ...aliasOf(kind, 'POST', '/discussions/:discussion_id/notes'),
      summary: `Reply in a discussion on ${label}`,
      access: discussible(discussionOn(kind)),
      body: newReply,
      maxBody_bytes: maxNote_bytes,
      reply: WrittenNote,
      outcomes: commandsAlone,
      async handle({ app, user, noteable, opening, body }) {
        const request = { ...body, discussion: { id: opening.discussion_id } }
        return presentWritten(app, noteable, await writeNote(app, user, noteable, request))
      },
    }),
    endpoint(`PUT /projects/:id/${path}/discussions/:discussion_id/notes/:note_id`, {
      ...aliasOf(kind, 'PUT', '/discussions/:discussion_id/notes/:note_id'),
      summary: `Update a note of a discussion on ${label}${resolvable ? ', or resolve it' : ''}`,
      access: (resolvable ? changeableOrResolvableNote : changeableNote)(within(discussionOn(kind), noteOfDiscussion)),
      body: changedReply,
      maxBody_bytes: maxNote_bytes,
      reply: Note,
      async handle({ app, user, noteable, note, body: { body, resolved } }) {
        if (body !== undefined && resolved !== undefined) throw badParameter('body, resolved are mutually exclusive')
        if (body === undefined && resolved === undefined)
          throw badParameter('body, resolved are missing, exactly one parameter must be provided')
        if (body !== undefined && !canChangeNote(noteable, note, user)) throw forbidden()
        if (body !== undefined) return present(app, noteable, await editNote(app, user, noteable, note, body))
        if (!isNoteResolvable(noteable, note)) throw invalid('Note is not resolvable')
        await resolveNote(app, user, note, resolved === true)
        return present(app, noteable, await findNote(app.db, noteable, user, note.id))
      },
    }),
    endpoint(`DELETE /projects/:id/${path}/discussions/:discussion_id/notes/:note_id`, {
      ...aliasOf(kind, 'DELETE', '/discussions/:discussion_id/notes/:note_id'),
      summary: `Delete a note of a discussion on ${label}`,
      access: changeableNote(within(discussionOn(kind), noteOfDiscussion)),
      reply: none,
      lastChanged: ({ note }) => note.updated_at,
      async handle({ app, user, noteable, note }) {
        await removeNote(app, user, noteable, note)
        return null
      },
    }),
  ]
}

/** Only the parameters that a kind supports: no internal notes and no `commit_id` on commits, no positions where there is no diff. */
function bodyOf(kind: NoteableKind): typeof newDiffNote {
  if (!kind.hasInternalNotes) return newCommitNote as typeof newDiffNote
  return kind.hasDiff ? newDiffNote : (newNote as typeof newDiffNote)
}

function resolving(kind: NoteableKind): Endpoint {
  const { path, label } = kind
  return endpoint(`PUT /projects/:id/${path}/discussions/:discussion_id`, {
    summary: `Resolve a discussion on ${label}, or open it again`,
    access: resolvableDiscussion(discussionOn(kind)),
    body: { resolved: Type.Boolean() },
    reply: Discussion,
    async handle({ app, user, noteable, opening, body: { resolved } }) {
      await resolveDiscussion(app, user, opening, resolved)
      return presentDiscussion(app, noteable, user, opening)
    },
  })
}

async function present(app: App, noteable: Noteable, note: Parameters<typeof presentNotes>[2][number]) {
  const [presented] = await presentNotes(app, noteable, [note])
  return presented as NonNullable<typeof presented>
}

type CommandsAlone = Outcome<Presented<typeof NoteCommands>>

async function presentWritten(app: App, noteable: Noteable, written: Written): Promise<Presented<typeof WrittenNote> | CommandsAlone> {
  if (written.kind === 'commands') return presentCommands(written)
  if (written.kind === 'award') return presentAward(app.config, written.award)
  const note = await present(app, noteable, written.note)
  return Object.assign(note, { commands_changes: written.commands.updates })
}

async function presentOpened(app: App, noteable: Noteable, written: Written): Promise<Presented<typeof WrittenDiscussion> | CommandsAlone> {
  if (written.kind === 'commands') return presentCommands(written)
  if (written.kind === 'award') throw new Error('a discussion awards nothing')
  const [discussion] = await presentDiscussions(app, noteable, [written.note.discussion_id], [written.note])
  return discussion as NonNullable<typeof discussion>
}

function presentCommands({ commands: { updates, summary, refusals } }: Extract<Written, { kind: 'commands' }>): CommandsAlone {
  return outcome(202, { commands_changes: { ...updates }, summary: [...summary, ...refusals] })
}

export const noteWrites = [
  ...noteableKinds.filter(({ hasSingleNotes }) => hasSingleNotes).flatMap(noteChangesOn),
  ...noteableKinds.filter(({ hasSingleNotes }) => !hasSingleNotes).flatMap(onDiscussions),
]
