/** Changing notes: what other features may use. */
export { changeableNote, changeableOrResolvableNote, discussible, resolvableDiscussion } from './notes.access.ts'
export { maxNote_bytes } from './notes.schema.ts'
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
} from './notes.service.ts'
