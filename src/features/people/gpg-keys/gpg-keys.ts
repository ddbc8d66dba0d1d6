/** GPG keys: what other features may use of them. */
export { deleteGpgKey, gpgKeyOfUser, gpgKeysOfUser } from './gpg-keys.queries.ts'
export { addGpgKey } from './gpg-keys.service.ts'
export { readPublicKey } from './openpgp.ts'
