/** Changing refs: what others may use of it. */
export { mayCommitTo, mayMergeTo, type Pusher } from './push-rules.ts'
export { changeRefs, changeWikiRefs, openPush, openWikiPush } from './pushes.service.ts'
export { recordPush } from './record.ts'
export type { WikiPusher } from './targets.ts'
export { recordWikiPush } from './wiki-record.ts'
export { refusalOfWiki } from './wiki-rules.ts'
