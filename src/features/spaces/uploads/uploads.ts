/** Uploads: what other features may use. */
export { imageTypeOf, linkTo, safeName, sniffed_bytes } from './file-names.ts'
export { attachFiles, maxUpload_bytes, openUpload } from './uploads.service.ts'
