/** Pull mirrors, for other features and pages. */
export { pullMirrorOf } from './pull-mirrors.queries.ts'
export { type SentPullMirror, setPullMirror, startPullMirror } from './pull-mirrors.service.ts'
