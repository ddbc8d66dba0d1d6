/** Changing notes: what others may use of it. */
export { changeableNote, discussible } from './note-changes.access.ts'
export { editNote, type NoteRequest, removeNote, type Written, writeNote } from './note-changes.service.ts'
