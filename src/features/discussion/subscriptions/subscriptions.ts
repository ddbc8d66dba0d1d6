/** Subscriptions to what is discussed: what others may use of them. */
export { setSubscription, subscriptionsOn } from './subscriptions.endpoints.ts'
