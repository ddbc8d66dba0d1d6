/** Changing notes: what others may use of it. */
export { changeableNote, changeableOrResolvableNote, discussible, resolvableDiscussion } from './note-changes.access.ts'
export { maxNote_bytes } from './note-changes.schema.ts'
export {
  editNote,
  type NoteRequest,
  type PreparedNote,
  placeOf,
  prepareNote,
  removeNote,
  type Written,
  writeNote,
  writeNoteIn,
} from './note-changes.service.ts'
