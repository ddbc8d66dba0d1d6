/** Stored objects: what other features may use. */
export { abandon, abandonAll, refer, storeObject } from './object-storage.service.ts'
