/** Push mirrors, for other features and pages. */
export { deletePushMirror, listPushMirrors } from './push-mirrors.queries.ts'
export { changePushMirror, createPushMirror, findPushMirror, type SentMirror, syncPushMirror } from './push-mirrors.service.ts'
