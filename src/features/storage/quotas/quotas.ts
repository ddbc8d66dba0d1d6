/** Quotas: what other features may use. */
export { changeLimits } from './limits.service.ts'
export { type LimitName, limitsOf, type Measured, type SizeLimits, setLimits, storedSizes, usageOf } from './quotas.queries.ts'
export { presentRooms } from './quotas.schema.ts'
export {
  assertRoom,
  assertRoomIn,
  limitParameter,
  maxLimit_mib,
  maxPush_bytes,
  type NamespaceStorage,
  type Room,
  refusalIn as refusalOfSizeIn,
  refusalOf as refusalOfSize,
  roomsOf,
  storageOf,
  warningsIn,
} from './quotas.service.ts'
