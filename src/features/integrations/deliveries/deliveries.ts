/** Deliveries to webhooks: what pages may use of them. */
export { deliverAgain, sampleOfInstance, sendSample } from './again.service.ts'
export { presentDelivery } from './deliveries.present.ts'
export { deliveryOf, hookOfIntegration, type LoggedDelivery, listDeliveries } from './deliveries.queries.ts'
export { groupTriggers, type Trigger, triggers } from './samples.service.ts'
export { isTestable, testIntegration } from './try.ts'
