/**
 * Comments on personal snippets, for their pages: the API of GitLab has none. They aren't notes, since a note belongs to a project, and so do
 * its webhooks, todos, quick actions and archives. What other features may use.
 */
export { canChangeComment, changeableComment, commentable } from './snippet-comments.access.ts'
export { countCommentsBefore, listComments } from './snippet-comments.queries.ts'
export { changeComment, createComment, maxComment_chars, removeComment } from './snippet-comments.service.ts'
