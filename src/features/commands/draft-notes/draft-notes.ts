/** Reviews: comments that only their author sees until they submit them. What others may use of them. */
export { draftsOf } from './draft-notes.queries.ts'
export { addDraft, changeDraft, type DraftRequest, findDraft, removeDraft, submitDrafts } from './draft-notes.service.ts'
