/**
 * Comments on personal snippets, for their pages: the API of GitLab has none. They aren't notes, since a note belongs to a project, and so do
 * its webhooks, quick actions and archives. As on snippets of projects, nobody gets a todo. What other features may use.
 */
export { canChangeComment, changeableComment, commentable, commentInPath } from './snippet-comments.access.ts'
export { commentersOn, countCommentsBefore, listComments, shownComment } from './snippet-comments.queries.ts'
export { changeComment, createComment, maxComment_chars, removeComment } from './snippet-comments.service.ts'
