/** Changing refs: what others may use of it. */
export { branchesOpenTo } from './collaboration.service.ts'
export { mayCommitTo, mayMergeTo } from './push-rules.ts'
export type { Pusher } from './pusher.ts'
export { pushable } from './pushes.access.ts'
export { changeRefs, openPush } from './pushes.service.ts'
export { recordPush } from './record.ts'
