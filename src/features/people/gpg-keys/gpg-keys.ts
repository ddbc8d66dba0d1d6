/** GPG keys: what other features may use of them. */
export { gpgKeysOfUser } from './gpg-keys.queries.ts'
export { readPublicKey } from './openpgp.ts'
