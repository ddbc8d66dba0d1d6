/** Comments on commits: what other features may use. */
export { addComment, commitNoteable } from './commit-comments.service.ts'
