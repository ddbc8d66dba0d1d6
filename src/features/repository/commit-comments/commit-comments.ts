/** Comments on commits: what others may use of them. */
export { type Comment, listComments } from './commit-comments.queries.ts'
export { addComment } from './commit-comments.service.ts'
