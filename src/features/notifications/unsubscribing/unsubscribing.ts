/** Unsubscribing by the link of a message: what other features may use. */
export { subscriptionOf, unsubscribe } from './unsubscribing.service.ts'
