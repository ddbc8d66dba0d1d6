/** Large files: what other features may use. */
export {
  findLargeFiles,
  isOid,
  isSize,
  type LargeFile,
  requireLargeFiles,
  shareLargeFiles,
  storeLargeFile,
  whileProjectExists,
} from './lfs.service.ts'
export { type Locker, type LockFilter, listLocks, lockFile, type OwnedLock, unlockFile } from './locks.service.ts'
export { largeFilesIn, pointerIn } from './pointers.ts'
export { findLfsToken, isLfsToken, lfsTokenLife_s, mintLfsToken } from './tokens.service.ts'
