/** Uploads: what others may use of them. */
export { linkTo, safeName } from './file-names.ts'
export { maxUpload_bytes, openUpload } from './uploads.service.ts'
