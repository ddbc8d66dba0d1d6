/** Keys: what other features may use. */
export { authorizedKeyLine } from './authorized-keys.ts'
export { lineOf, presentKey } from './keys.present.ts'
export { keyByFingerprint, keyOfUser, keysOfUser } from './keys.queries.ts'
export { commentOf, type NewKey, readNewKey, type SentKey, titleError } from './keys.rules.ts'
export {
  addUserKey,
  alreadyTaken,
  findKeyHolder,
  findKeyHolderById,
  type KeyHolder,
  keepKey,
  noteUse,
  removeIfOrphaned,
  removeKey,
  rewriteAuthorizedKeys,
} from './keys.service.ts'
