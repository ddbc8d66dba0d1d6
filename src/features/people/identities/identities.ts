/** Identities: what others may use of them. */
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
