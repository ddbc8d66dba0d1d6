/** Stored objects: what other features may use. */
export { abandon, abandonAll, refer, storeDraft, storeObject } from './object-storage.service.ts'
export { openSealed, readUpTo, storeSealed } from './sealed-objects.service.ts'
