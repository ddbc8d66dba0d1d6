/** Blobs as replies: what other features may use of them. */
export { archive } from './archive.ts'
export { assertFitsInJson } from './contents.service.ts'
export { rawBlob } from './raw-blob.ts'
