/** Reading notes and discussions on any kind of noteable: one family (spec 4.5, 4.6). Changes are in `commands/notes`. */
import { Type } from 'typebox'
import { type Endpoint, endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { within } from '../../../http/declare/within.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { aliasOf, type NoteableKind, noteableKinds } from '../../noteable-kinds.ts'
import { notesOfDiscussions } from './discussions.queries.ts'
import { discussionOn, noteOfDiscussion, noteOn } from './notes.access.ts'
import { presentDiscussion, presentDiscussions, presentNotes } from './notes.present.ts'
import { listDiscussions, listNotes } from './notes.queries.ts'
import { Discussion, Note } from './notes.schema.ts'

/** Endpoints that read the notes and discussions of a kind of noteable: `notesOn(issueKind)`. */
function notesOn(kind: NoteableKind): Endpoint[] {
  return [...singleNotesOn(kind), ...discussionsOn(kind)]
}

function singleNotesOn(kind: NoteableKind): Endpoint[] {
  const { path, label, access } = kind
  return [
    listEndpoint(`GET /projects/:id/${path}/notes`, {
      summary: `List the notes of ${label}`,
      access,
      query: {
        order_by: oneOfDefault('created_at', 'updated_at'),
        sort: oneOfDefault('desc', 'asc'),
        activity_filter: oneOfDefault('all_notes', 'only_comments', 'only_activity'),
      },
      item: Note,
      async handle({ app, user, noteable, query, page }) {
        const { rows, total } = await listNotes(app.db, noteable, user, query, page)
        return { rows: await presentNotes(app, noteable, rows), total }
      },
    }),
    endpoint(`GET /projects/:id/${path}/notes/:note_id`, {
      summary: `Get a note of ${label}`,
      access: noteOn(kind),
      reply: Note,
      async handle({ app, noteable, note }) {
        const [presented] = await presentNotes(app, noteable, [note])
        return presented as NonNullable<typeof presented>
      },
    }),
  ]
}

function discussionsOn(kind: NoteableKind): Endpoint[] {
  const { path, label, access } = kind
  return [
    listEndpoint(`GET /projects/:id/${path}/discussions`, {
      ...aliasOf(kind, 'GET', '/discussions'),
      summary: `List the discussions of ${label}, oldest first`,
      access,
      item: Discussion,
      async handle({ app, user, noteable, page }) {
        const { ids, total } = await listDiscussions(app.db, noteable, user, page)
        const notes = await notesOfDiscussions(app.db, noteable, user, ids)
        return { rows: await presentDiscussions(app, noteable, ids, notes), total }
      },
    }),
    endpoint(`GET /projects/:id/${path}/discussions/:discussion_id`, {
      ...aliasOf(kind, 'GET', '/discussions/:discussion_id'),
      summary: `Get a discussion of ${label}`,
      access: discussionOn(kind),
      reply: Discussion,
      handle: ({ app, user, noteable, opening }) => presentDiscussion(app, noteable, user, opening),
    }),
    endpoint(`GET /projects/:id/${path}/discussions/:discussion_id/notes`, {
      summary: `Get the notes of a discussion of ${label}`,
      access: discussionOn(kind),
      reply: Type.Array(Note),
      handle: async ({ app, user, noteable, opening }) => (await presentDiscussion(app, noteable, user, opening)).notes,
    }),
    endpoint(`GET /projects/:id/${path}/discussions/:discussion_id/notes/:note_id`, {
      summary: `Get a note of a discussion of ${label}`,
      access: within(discussionOn(kind), noteOfDiscussion),
      reply: Note,
      async handle({ app, noteable, note }) {
        const [presented] = await presentNotes(app, noteable, [note])
        return presented as NonNullable<typeof presented>
      },
    }),
  ]
}

export const notes = [
  ...noteableKinds.filter(({ hasSingleNotes }) => hasSingleNotes).flatMap(notesOn),
  ...noteableKinds.filter(({ hasSingleNotes }) => !hasSingleNotes).flatMap(discussionsOn),
]
