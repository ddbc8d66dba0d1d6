/** Keys: what others may use of them. */
export { authorizedKeyLine } from './authorized-keys.ts'
export { presentKey } from './keys.present.ts'
export { keyByFingerprint, keysOfUser } from './keys.queries.ts'
export { type NewKey, readNewKey, type SentKey, titleError } from './keys.rules.ts'
export {
  alreadyTaken,
  findKeyHolder,
  findKeyHolderById,
  type KeyHolder,
  keepKey,
  noteUse,
  removeIfOrphaned,
  rewriteAuthorizedKeys,
} from './keys.service.ts'
