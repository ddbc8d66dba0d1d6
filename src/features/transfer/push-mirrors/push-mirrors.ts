/** What other features and pages use of push mirrors. */
export { deletePushMirror, listPushMirrors } from './push-mirrors.queries.ts'
export { changePushMirror, createPushMirror, findPushMirror, type SentMirror, syncPushMirror } from './push-mirrors.service.ts'
