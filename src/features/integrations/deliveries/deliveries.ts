/** Deliveries to webhooks: what pages may use of them. */
export { deliverAgain, sampleOfInstance, sendSample } from './again.service.ts'
export { presentDelivery } from './deliveries.present.ts'
export { hookOfIntegration } from './deliveries.queries.ts'
export { deliveryOf, type LoggedDelivery, listDeliveries } from './log.queries.ts'
export { groupTriggers, type Trigger, triggers } from './samples.service.ts'
export { askCheckAgain } from './status-checks.service.ts'
export { isTestable, testIntegration } from './try.ts'
