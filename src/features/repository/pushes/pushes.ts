/** Changing refs: what others may use of it. */
export { mayCommitTo, mayMergeTo, type Pusher } from './push-rules.ts'
export { changeRefs, openPush } from './pushes.service.ts'
export { recordPush } from './record.ts'
