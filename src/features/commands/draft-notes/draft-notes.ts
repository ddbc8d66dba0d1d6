/** Reviews: comments that only their author sees until they are submitted. What other features may use. */
export { draftsOf } from './draft-notes.queries.ts'
export { addDraft, changeDraft, type DraftRequest, findDraft, removeDraft, submitDrafts } from './draft-notes.service.ts'
