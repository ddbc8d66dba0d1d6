/** A personal snippet with the comments on it. */

import type { Viewer } from '../../../access/visible.ts'
import { snippetAddress } from '../../../addresses/documents.ts'
import type { App } from '../../../app.ts'
import type { SnippetComment } from '../../../db/tables.ts'
import { type Award, awardsToComments, listAwards } from '../../../features/discussion/award-emoji/award-emoji.ts'
import { canChangeComment, countCommentsBefore, listComments } from '../../../features/discussion/snippet-comments/snippet-comments.ts'
import { type UserInBrief, usersInBrief } from '../../../features/people/users/users.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { signInFrom } from '../../frame/addresses.ts'
import { dashboardTabs } from '../../frame/dashboard-tabs.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import { markdownField, postButton, problemsOf, textFieldScript, untouched } from '../../frame/forms.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { icon } from '../../frame/parts.ts'
import { reactionMenu, reactions } from '../../planning/discussion/reactions.ts'
import { person } from '../../project/people.ts'
import type { SeenSnippet } from './seen.ts'
import { sentences } from './sentences.ts'
import { snippetView } from './snippet-view.ts'
import { proseIn } from './texts.ts'

const perPage = 20
const maxAwards = 1_000

/** Six statements more than the snippet alone. */
export async function commentedSnippetView(
  seen: SeenSnippet,
  { page = 1, typed = untouched }: { page?: number; typed?: Typed } = {},
): Promise<View> {
  const { app, snippet, user } = seen
  const { rows, total } = await listComments(app.db, snippet.id, user, pageFrom({ page, per_page: perPage }))
  const authors = await usersInBrief(
    app.db,
    rows.map(({ author_id }) => author_id),
  )
  const bodies = await proseIn(
    seen,
    rows.map(({ body }) => body),
  )
  const ids = rows.map(({ id }) => id)
  const awards = await awardsToComments(app.db, 'snippet_comment', ids)
  const comments = rows.map((comment, index) => {
    const author = authors.get(comment.author_id) as UserInBrief
    const parts = { author, body: bodies[index] ?? null, awards: awards.filter((award) => award.snippet_comment_id === comment.id) }
    return html`<li class="thread">${commentView(seen, comment, parts)}</li>`
  })
  const talk = html`
    <section aria-labelledby="notes">
      <h2 id="notes">Discussion</h2>
      ${comments.length === 0 ? html`<p class="hint">${sentences.noComments}</p>` : html`<ol class="talk">${comments}</ol>`}
      ${pagesBelow(snippetAddress(snippet, null), { page, per_page: perPage, total })}
      ${commentForm(seen, typed)}
    </section>
  `
  const { rows: given } = await listAwards(app.db, { kind: 'snippet', id: snippet.id }, { limit: maxAwards, offset: 0 })
  const form = { action: `${snippetAddress(snippet, null)}/emoji`, token: seen.token, viewer: user, id: 'snippet-emoji-' }
  const reacting = html`<div class="reacting">${reactionMenu(given, form)}${reactions(given, form)}</div>`
  const view = await snippetView(seen, { reactions: reacting, talk, scripts: ['planning.js', textFieldScript] })
  return user ? { ...view, above: dashboardTabs('snippets') } : view
}

/** Its URL on the page of its snippet. One statement. */
export async function commentAddress(app: App, viewer: Viewer, comment: SnippetComment): Promise<string> {
  const page = 1 + Math.floor((await countCommentsBefore(app.db, comment, viewer)) / perPage)
  return `${snippetAddress({ id: comment.snippet_id }, null)}${page > 1 ? `?page=${page}` : ''}#note_${comment.id}`
}

interface CommentParts {
  author: UserInBrief
  body: Html | null
  awards: readonly Award[]
}

function commentView({ app, user, token }: SeenSnippet, comment: SnippetComment, { author, body, awards }: CommentParts): Html {
  const address = `${snippetAddress({ id: comment.snippet_id }, null)}/notes/${comment.id}`
  const form = { action: `${address}/emoji`, token, viewer: user, id: `emoji-${comment.id}-` }
  const edited = comment.is_edited && html` <span class="hint">edited ${ago(comment.updated_at)}</span>`
  const changes = html`
    <li><a href="${address}/edit">Edit</a></li>
    <li>${postButton(t`Delete this comment`, { action: `${address}/delete`, token, kind: 'danger' })}</li>
  `
  return html`
    <article class="note" id="note_${comment.id}">
      <header>
        ${person(app, author)} <span class="hint">@${author.username}</span>
        <a class="hint" href="#note_${comment.id}">${ago(comment.created_at)}</a>${edited}
        <div class="note-acts">
          ${reactionMenu(awards, form)}
          <details class="menu end">
            <summary>${icon('more')}<span class="unseen">More about this comment</span></summary>
            <ul>
              <li><a href="#note_${comment.id}" data-copy-link>Copy link</a></li>
              ${canChangeComment(comment, user) && changes}
            </ul>
          </details>
        </div>
      </header>
      ${body}
      ${reactions(awards, form)}
    </article>
  `
}

function commentForm({ snippet, user, token, address }: SeenSnippet, typed: Typed): Html {
  if (user === null) return html`<p><a href="${signInFrom(address)}">Sign in</a> ${sentences.signInToComment}.</p>`
  const body = markdownField(t`Comment`, 'body', typed, { required: true, rows: 5, id: 'new-', hint: sentences.markdown })
  return html`
    <form class="comment" method="post" action="${snippetAddress(snippet, null)}/notes">
      ${token}${problemsOf(typed.errors, ['body'])}${body}
      <p class="actions"><button class="primary">Comment</button></p>
    </form>
  `
}
