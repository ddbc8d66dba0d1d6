/** Custom attributes: what other features may use. */
export { matchesAttributes } from './custom-attributes.queries.ts'
export { customAttributesOf } from './custom-attributes.service.ts'
