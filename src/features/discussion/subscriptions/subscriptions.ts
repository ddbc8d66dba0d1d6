/** Subscriptions to what is discussed: what others may use of them. */
export { subscriptionsOn } from './subscriptions.endpoints.ts'
export { setSubscription } from './subscriptions.service.ts'
