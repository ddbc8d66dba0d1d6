/** Comments on commits: what others may use of them. */
export { addComment, commitNoteable } from './commit-comments.service.ts'
