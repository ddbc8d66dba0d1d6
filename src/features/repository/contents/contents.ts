/** Blobs as replies: what other features may use of them. */
export { assertNotTooLarge } from './contents.service.ts'
export { rawBlob } from './raw.ts'
