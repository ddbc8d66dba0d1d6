/** GPG keys: what other features may use of them. */
export { gpgKeyOfUser, gpgKeysOfUser } from './gpg-keys.queries.ts'
export { addGpgKey, removeGpgKey } from './gpg-keys.service.ts'
export { readPublicKey } from './openpgp.ts'
