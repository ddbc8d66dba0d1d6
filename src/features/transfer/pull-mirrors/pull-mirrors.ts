/** What other features and pages use of pull mirrors. */
export { pullMirrorOf } from './pull-mirrors.queries.ts'
export { type SentPullMirror, setPullMirror, startPullMirror } from './pull-mirrors.service.ts'
