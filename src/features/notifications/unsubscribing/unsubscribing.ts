/** Unsubscribing by the link of a message: what others may use of it. */
export { subscriptionOf, unsubscribe } from './unsubscribing.service.ts'
