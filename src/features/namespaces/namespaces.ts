/** Namespaces: what other features may use. */
export { groupsJoined, type LocatedNamespace, listCreatable } from './lists.queries.ts'
export {
  findLockedNamespace,
  findNamespace,
  fullNamesOf,
  insertNamespace,
  levelsBelow,
  lockNamespace,
  lockNamespaces,
  standsAbove,
  updateNamespace,
} from './namespaces.queries.ts'
export { moveRoute, renameNamespace, transferNamespace } from './namespaces.service.ts'
export { fileEndings, pathError, pathFromName } from './paths.ts'
export { insertRoute, isRedirect } from './routes.queries.ts'
