/** What mirrors of both kinds have in common. */
export {
  type AuthMethod,
  acceptAddress,
  connectTo,
  hostFingerprints,
  isSsh,
  makeKeys,
  maskedAddress,
  readHostKeys,
  sealAddress,
} from './address.ts'
export { maintainerOf } from './maintainer.ts'
export { complaintOf, retryDelay_ms, runMirror, sentenceOf } from './run.ts'
export { type MirrorTable, markScheduled } from './runs.queries.ts'
export { mirroredRefs } from './selection.ts'
