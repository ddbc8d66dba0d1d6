/** Custom attributes: what others may use of them. */
export { matchesAttributes } from './custom-attributes.queries.ts'
export { customAttributesOf } from './custom-attributes.service.ts'
