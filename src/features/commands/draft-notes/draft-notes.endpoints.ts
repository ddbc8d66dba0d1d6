/** Reviews: draft comments, submitted one by one or all at once (newer than the API of spec 4.6). */
import type { DraftNote as DraftNoteRow } from '../../../db/tables.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { allowed, type SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, none, type Presented } from '../../../http/parameters/schema.ts'
import type { NoteableGranted } from '../../noteable-kinds.ts'
import { presentPosition } from '../../review/diff-notes/diff-notes.ts'
import { mergeRequestKind } from '../../review/merge-requests/merge-requests.ts'
import { discussible, maxNote_bytes } from '../notes/notes.ts'
import { draftsOf, listDrafts } from './draft-notes.queries.ts'
import { changedDraft, DraftNote, newDraft, summaryOfReview } from './draft-notes.schema.ts'
import { addDraft, changeDraft, findDraft, removeDraft, submitDrafts } from './draft-notes.service.ts'

const readable = mergeRequestKind.access
const draftInPath = nested(
  { draft_note_id: Id },
  async ({ noteable, user }: NoteableGranted<'merge_request'> & SignedIn, { draft_note_id }, app) => ({
    draft: await findDraft(app.db, noteable.row, user, draft_note_id),
  }),
)
const own = within(readable, draftInPath)

export const draftNotes = [
  listEndpoint('GET /projects/:id/merge_requests/:merge_request_iid/draft_notes', {
    summary: "List one's draft notes on a merge request",
    access: readable,
    item: DraftNote,
    async handle({ app, user, noteable, page }) {
      const { rows, total } = await listDrafts(app.db, noteable.row.id, user.id, page)
      return { rows: rows.map(present), total }
    },
  }),
  endpoint('GET /projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id', {
    summary: 'Get a draft note',
    access: own,
    reply: DraftNote,
    handle: ({ draft }) => present(draft),
  }),
  endpoint('POST /projects/:id/merge_requests/:merge_request_iid/draft_notes', {
    summary: 'Write a draft note on a merge request',
    access: discussible(readable),
    body: newDraft,
    maxBody_bytes: maxNote_bytes,
    reply: DraftNote,
    handle: async ({ app, user, noteable, body }) => present(await addDraft(app, user, noteable, body)),
  }),
  endpoint('PUT /projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id', {
    summary: 'Update a draft note',
    access: discussible(own),
    body: changedDraft,
    atLeastOne: ['note', 'position'],
    maxBody_bytes: maxNote_bytes,
    reply: DraftNote,
    handle: async ({ app, user, noteable, draft, body }) => present(await changeDraft(app, user, noteable, draft, body)),
  }),
  endpoint('DELETE /projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id', {
    summary: 'Delete a draft note',
    access: own,
    reply: none,
    async handle({ app, draft }) {
      await removeDraft(app, draft)
      return null
    },
  }),
  endpoint('PUT /projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id/publish', {
    summary: 'Publish a draft note',
    access: discussible(own),
    reply: none,
    async handle({ app, user, noteable, draft }) {
      await submitDrafts(app, user, noteable, [draft])
      return null
    },
  }),
  endpoint('POST /projects/:id/merge_requests/:merge_request_iid/draft_notes/bulk_publish', {
    summary: "Publish all one's draft notes on a merge request",
    access: discussible(readable),
    body: summaryOfReview,
    reserved: { internal: [allowed('write_internal_notes')] },
    maxBody_bytes: maxNote_bytes,
    reply: none,
    async handle({ app, user, noteable, body }) {
      await submitDrafts(app, user, noteable, await draftsOf(app.db, noteable.row.id, user.id), body)
      return null
    },
  }),
]

function present(draft: DraftNoteRow): Presented<typeof DraftNote> {
  return {
    id: draft.id,
    author_id: draft.author_id,
    merge_request_id: draft.merge_request_id,
    resolve_discussion: draft.resolve_discussion,
    discussion_id: draft.discussion_id,
    note: draft.body,
    commit_id: draft.commit_oid,
    line_code: draft.line_code,
    position: draft.position === null ? null : presentPosition(draft.position),
  }
}
