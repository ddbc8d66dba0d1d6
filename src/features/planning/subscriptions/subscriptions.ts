/** Subscriptions: what others may use of them. */
export { setSubscription, subscriptionsOn } from './subscriptions.endpoints.ts'
