/** Uploads: what others may use of them. */
export { safeName } from './names.ts'
export { openUpload } from './uploads.service.ts'
