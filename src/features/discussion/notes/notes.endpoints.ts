/** Notes and discussions of anything that is discussed: one family (spec 4.5, 4.6). What changes them is in `note-changes`. */
import { Type } from 'typebox'
import { type Endpoint, endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { within } from '../../../http/declare/within.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { aliasOf, type NoteablePath, noteableIn, noteableKinds } from '../noteables/noteables.ts'
import { notesOfDiscussions } from './discussions.queries.ts'
import { discussionIn, noteIn, noteOfDiscussion } from './notes.access.ts'
import { presentDiscussion, presentDiscussions, presentNotes } from './notes.present.ts'
import { listDiscussions, listNotes } from './notes.queries.ts'
import { Discussion, Note } from './notes.schema.ts'

/** Reading the notes and discussions of a kind of thing: `notesOn('issues')`. */
export function notesOn(kind: NoteablePath): Endpoint[] {
  return [...singleNotesOn(kind), ...discussionsOn(kind)]
}

function singleNotesOn(kind: NoteablePath): Endpoint[] {
  const { path, label } = noteableKinds[kind]
  return [
    listEndpoint(`GET /projects/:id/${path}/notes`, {
      summary: `List the notes of ${label}`,
      access: noteableIn(kind, 'signed-in'),
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
      access: noteIn(kind),
      reply: Note,
      async handle({ app, noteable, note }) {
        const [presented] = await presentNotes(app, noteable, [note])
        return presented as NonNullable<typeof presented>
      },
    }),
  ]
}

/** Reading the discussions of a kind of thing whose notes are listed in another form. */
export function discussionsOn(kind: NoteablePath): Endpoint[] {
  const { path, label } = noteableKinds[kind]
  return [
    listEndpoint(`GET /projects/:id/${path}/discussions`, {
      ...aliasOf(kind, 'GET', '/discussions'),
      summary: `List the discussions of ${label}, oldest first`,
      access: noteableIn(kind, 'signed-in'),
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
      access: discussionIn(kind),
      reply: Discussion,
      handle: ({ app, user, noteable, opening }) => presentDiscussion(app, noteable, user, opening),
    }),
    endpoint(`GET /projects/:id/${path}/discussions/:discussion_id/notes`, {
      summary: `Get the notes of a discussion of ${label}`,
      access: discussionIn(kind),
      reply: Type.Array(Note),
      handle: async ({ app, user, noteable, opening }) => (await presentDiscussion(app, noteable, user, opening)).notes,
    }),
    endpoint(`GET /projects/:id/${path}/discussions/:discussion_id/notes/:note_id`, {
      summary: `Get a note of a discussion of ${label}`,
      access: within(discussionIn(kind), noteOfDiscussion),
      reply: Note,
      async handle({ app, noteable, note }) {
        const [presented] = await presentNotes(app, noteable, [note])
        return presented as NonNullable<typeof presented>
      },
    }),
  ]
}

export const notes = [...notesOn('issues'), ...notesOn('merge_requests'), ...notesOn('snippets'), ...discussionsOn('commits')]
