/** Uploads: what others may use of them. */
export { safeName } from './file-names.ts'
export { openUpload } from './uploads.service.ts'
