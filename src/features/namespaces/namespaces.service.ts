/** What other features may do with namespaces and with the paths that lead to things. */
export { findNamespace, fullNamesOf, insertNamespace, insertRoute, lockNamespace } from './namespaces.queries.ts'
