/** Comments on personal snippets in a path, below their snippet. */
import type { SnippetComment } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { type Access, authenticated, type Granted, only, type SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { type SnippetGranted, visibleSnippet } from '../../snippets/snippets.ts'
import { visibleComment } from './snippet-comments.queries.ts'

type Commenting = Granted & SignedIn & SnippetGranted & { access: null }

/** Its author and administrators may change and delete it. */
export function canChangeComment({ author_id }: Pick<SnippetComment, 'author_id'>, user: Granted['user']): boolean {
  return user !== null && (user.admin || user.id === author_id)
}

const personal = nested({}, (granted: { access: unknown }) => {
  if (granted.access !== null) throw notFound('Snippet')
  return { access: null }
})

/** Grants the personal snippet with the id `:id` to signed-in users who can see it. */
export function commentable(): Access<Commenting> {
  return within(authenticated(visibleSnippet()), personal)
}

const namedComment = nested({ comment_id: Id }, async ({ snippet, user }: SnippetGranted & SignedIn, { comment_id }, app) => {
  const comment = await visibleComment(app.db, snippet.id, comment_id, user)
  if (!comment) throw notFound('Comment')
  return { comment }
})

/** Grants the comment in `:comment_id` in addition. */
export function commentInPath(): Access<Commenting & { comment: SnippetComment }> {
  return within(commentable(), namedComment)
}

/** Grants the comment to users who may change it. */
export function changeableComment(): Access<Commenting & { comment: SnippetComment }> {
  return only(commentInPath(), {
    description: 'its author, administrators',
    holds: ({ user, comment }) => canChangeComment(comment, user),
  })
}
