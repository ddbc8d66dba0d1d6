/** Changing refs: what other features may use. */

export { mayCommitTo, mayMergeTo } from './allowed-changes.ts'
export { branchesOpenTo } from './collaboration.service.ts'
export { describePushes } from './descriptions.ts'
export { type Pusher, pushOptionsSealedFor } from './pusher.ts'
export { pushable } from './pushes.access.ts'
export { changeRefs, changeWikiRefs, openPush, openWikiPush } from './pushes.service.ts'
export { recordPush } from './record.ts'
export type { WikiPusher } from './targets.ts'
export { recordWikiPush } from './wiki-record.ts'
export { refusalOfWiki } from './wiki-rules.ts'
