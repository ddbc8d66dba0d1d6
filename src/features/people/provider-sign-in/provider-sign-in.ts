/** Sign-in through providers: what other features and pages may use. */

export { type Connection, connectionsOf, disconnect, isInDirectory } from './connections.service.ts'
export { directoryName, followDirectory, passwordElsewhere, signInByLogin } from './ldap.service.ts'
export { leaveForProvider, openIdProviders, returnFromProvider } from './openid.service.ts'
