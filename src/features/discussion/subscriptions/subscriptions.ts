/** Subscriptions to noteables: what other features may use. */
export { subscriptionsOn } from './subscriptions.endpoints.ts'
export { setSubscription } from './subscriptions.service.ts'
