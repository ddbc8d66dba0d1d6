/** Writing, editing and deleting comments on personal snippets, and reactions to both. */

import { Type } from 'typebox'
import { snippetAddress } from '../../../addresses/documents.ts'
import type { SnippetComment } from '../../../db/tables.ts'
import { toggleAward } from '../../../features/discussion/award-emoji/award-emoji.ts'
import {
  changeableComment,
  changeComment,
  commentable,
  commentInPath,
  createComment,
  removeComment,
} from '../../../features/discussion/snippet-comments/snippet-comments.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { dashboardTabs } from '../../frame/dashboard-tabs.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { form, markdownField, problemsOf, textFieldScript, untouched } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import { emojiForm, emojiIn } from '../../planning/discussion/emoji.pages.ts'
import { commentAddress, commentedSnippetView } from './comments.ts'
import type { SeenSnippet } from './seen.ts'
import { sentences } from './sentences.ts'

const notes = '/snippets/:id/notes'
const written = { body: Type.String({ default: '' }) }

export const snippetCommentPages = [
  action(`POST ${notes}`, {
    limit: 'notes_create',
    access: commentable(),
    form: written,
    async act({ app, user, snippet, sent }) {
      const comment = await createComment(app, user, snippet, sent.body)
      return { redirect: await commentAddress(app, user, comment), notice: sentences.commented }
    },
    again: (seen, typed) => commentedSnippetView(seen, { typed }),
  }),
  page(`GET ${notes}/:comment_id/edit`, {
    access: changeableComment(),
    show: (seen) => editView(seen, untouched),
  }),
  action(`POST ${notes}/:comment_id`, {
    access: changeableComment(),
    form: written,
    async act({ app, user, comment, sent }) {
      await changeComment(app, user, comment, sent.body)
      return { redirect: await commentAddress(app, user, comment), notice: sentences.commentSaved }
    },
    again: editView,
  }),
  action(`POST ${notes}/:comment_id/delete`, {
    access: changeableComment(),
    async act({ app, snippet, comment }) {
      await removeComment(app, comment)
      return { redirect: snippetAddress(snippet, null), notice: sentences.commentDeleted }
    },
  }),
  action('POST /snippets/:id/emoji', {
    access: commentable(),
    form: emojiForm,
    async act({ app, user, snippet, sent }) {
      await toggleAward(app, user, { snippet, comment: null }, emojiIn(sent))
      return { redirect: snippetAddress(snippet, null) }
    },
  }),
  action(`POST ${notes}/:comment_id/emoji`, {
    access: commentInPath(),
    form: emojiForm,
    async act({ app, user, snippet, comment, sent }) {
      await toggleAward(app, user, { snippet, comment }, emojiIn(sent))
      return { redirect: await commentAddress(app, user, comment) }
    },
  }),
]

function editView({ snippet, comment, token }: SeenSnippet & { comment: SnippetComment }, typed: Typed): View {
  const address = snippetAddress(snippet, null)
  const body = markdownField(t`Comment`, 'body', typed, { value: comment.body, required: true, autofocus: true, rows: 10 })
  return {
    title: t`Edit a comment on ${snippet.title}`,
    above: dashboardTabs('snippets'),
    scripts: [textFieldScript],
    main: html`
      <h1>Edit a comment on <a href="${address}">${isolated(snippet.title)}</a></h1>
      <div class="form-page">
        ${problemsOf(typed.errors, ['body'])}
        ${form({ action: `${address}/notes/${comment.id}`, token, submit: t`Save the comment` }, body)}
      </div>
    `,
  }
}
