/** Quotas: what other features may use. */
export { type Measured, type SizeLimits, setLimits, sizeLimitOf, storedSizes, usageOf } from './quotas.queries.ts'
export {
  assertRoom,
  assertRoomIn,
  limitParameter,
  maxPush_bytes,
  type Room,
  refusalOf as refusalOfSize,
  roomsOf,
} from './quotas.service.ts'
