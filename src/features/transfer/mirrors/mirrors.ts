/**
 * Code that pull mirrors and push mirrors share.
 *
 * Over SSH the server connects to the checked address and gives git the line as an open pipe, so no key is ever in a file, an argument or
 * the environment; `GIT_SSH_COMMAND` with a key file would leave it on disk after a kill. A push lists the refs at the other side and
 * pushes what differs: a table of what was pushed last would be wrong as soon as others push there.
 */
export {
  type AuthMethod,
  acceptAddress,
  connectTo,
  hostFingerprints,
  hostOf,
  lfsServerOf,
  makeKeys,
  maskedAddress,
  readHostKeys,
  sealAddress,
  withCredentials,
} from './address.ts'
export { fetchLargeFiles, sendLargeFiles } from './large-files.ts'
export { maintainerOf } from './maintainer.ts'
export { complaintOf, retryDelay_ms, runMirror, sentenceOf } from './run.ts'
export { type MirrorTable, markScheduled } from './runs.queries.ts'
export { mirroredRefs } from './selection.ts'
