/** Identities: what other features may use. */
export {
  deleteIdentity,
  type Identity,
  type IdentityState,
  identitiesAt,
  identitiesOf,
  insertIdentity,
  isBlockedByDirectory,
  lockIdentity,
  replaceIdentity,
  setBlocks,
  userOfIdentity,
} from './identities.queries.ts'
