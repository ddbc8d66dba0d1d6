/** Quotas: what other features may use. */
export { changeLimits } from './limits.service.ts'
export { type LimitName, type Measured, type SizeLimits, setLimits, sizeLimitOf, storedSizes, usageOf } from './quotas.queries.ts'
export {
  assertRoom,
  assertRoomIn,
  limitParameter,
  maxLimit_mib,
  maxPush_bytes,
  type NamespaceStorage,
  type Room,
  refusalOf as refusalOfSize,
  roomsOf,
  storageOf,
  warningsOfSize,
} from './quotas.service.ts'
