/** Uploads: what other features may use. */
export { imageTypeOf, linkTo, safeName, sniffed_bytes } from './file-names.ts'
export { maxUpload_bytes, openUpload } from './uploads.service.ts'
