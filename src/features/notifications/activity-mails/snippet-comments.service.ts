/** Writes mail about comments on personal snippets: to its author, those who commented, and those whom the comment mentions. */
import { readersOfPersonalSnippet } from '../../../access/readers.ts'
import { snippetAddress } from '../../../addresses/documents.ts'
import { pageUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import type { Snippet, SnippetComment } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { Html, html } from '../../../html/untranslated.ts'
import { usersNamedIn } from '../../discussion/references/references.ts'
import { commentersOn, shownComment } from '../../discussion/snippet-comments/snippet-comments.ts'
import { renderFile } from '../../instance/markdown/markdown.ts'
import { shownSnippet } from '../../snippets/snippets.ts'
import { settingsAt } from '../../spaces/notification-settings/notification-settings.ts'
import { type Content, mailIn, type Recipient } from '../outbox/outbox.ts'
import { peopleById } from './activity-mails.queries.ts'
import { shortened } from './content.ts'
import { recipientsAmong } from './recipients.service.ts'
import { isWanted } from './wanted.ts'

/** The payload of the job. */
export interface CommentNotice {
  comment_id: number
  /** For an edit: the users that it newly mentions, the only ones to get mail. Null for a new comment. */
  mentioned_since: { actor_id: number; at: string; names: string[] } | null
}

/** Recipients per transaction. */
const atOnce = 250

/** Writes nothing if nobody wants the mail, or the comment is gone. */
export async function mailComment(app: App, notice: CommentNotice): Promise<void> {
  const comment = await shownComment(app.db, notice.comment_id)
  const snippet = comment && (await shownSnippet(app.db, comment.snippet_id, null))
  if (!comment || !snippet) return
  const actor_id = notice.mentioned_since?.actor_id ?? comment.author_id
  const actor = (await peopleById(app.db, [actor_id])).get(actor_id)
  const recipients = await recipientsOf(app, notice, snippet, comment, actor_id)
  if (!actor || recipients.length === 0) return
  const content = await contentOf(app, notice, snippet, comment, actor.name)
  for (let at = 0; at < recipients.length; at += atOnce)
    await inTransaction(app.db, (tx) => mailIn(tx, content, recipients.slice(at, at + atOnce)))
}

/** A fixed number of statements, and two per 250 people who may be told. */
async function recipientsOf(
  { db, config }: App,
  { mentioned_since }: CommentNotice,
  snippet: Snippet,
  comment: SnippetComment,
  actor_id: number,
): Promise<Recipient[]> {
  const text = mentioned_since ? mentioned_since.names.map((name) => `@${name}`).join(' ') : comment.body
  const mentioned = new Set(await usersNamedIn(db, actor_id, text, config.url))
  const others = mentioned_since ? [] : [snippet.author_id, ...(await commentersOn(db, snippet.id))]
  const readers = await readersOfPersonalSnippet(db, snippet, [...mentioned, ...others])
  const found: Recipient[] = []
  for (let at = 0; at < readers.length; at += atOnce) {
    const some = await wantingAmong(db, readers.slice(at, at + atOnce), mentioned)
    found.push(...(await recipientsAmong(db, some, actor_id, (id) => (mentioned.has(id) ? 'mentioned' : null))))
  }
  return found
}

/** Goes by the users' global settings, as a personal snippet is in no project. */
async function wantingAmong(db: Db, ids: number[], mentioned: ReadonlySet<number>): Promise<number[]> {
  const settingOf = await settingsAt(db, { project_id: null }, new Map(), ids)
  return ids.filter((id) =>
    isWanted({
      tie: mentioned.has(id) ? 'mention' : 'participating',
      setting: settingOf(id),
      about: 'new_note',
      hasUnsubscribed: false,
    }),
  )
}

async function contentOf(
  { config }: App,
  { mentioned_since }: CommentNotice,
  { id, title }: Snippet,
  comment: SnippetComment,
  from_name: string,
): Promise<Content> {
  const said = mentioned_since ? `${from_name} mentioned you in a comment on snippet $${id}:` : `${from_name} commented on snippet $${id}:`
  const edit = mentioned_since ? `:mention:${mentioned_since.at}` : ''
  const key = `snippet_comment:${comment.id}${edit}`
  const text = shortened(comment.body)
  return {
    key,
    from_name,
    subject: `Re: ${title} ($${id})`,
    text: `${said}\n\n${text}`,
    html: html`<p>${said}</p>
${await proseOf(text)}`.text,
    url: `${pageUrl(config, snippetAddress({ id }, null))}#note_${comment.id}`,
    message_id: `${key.replaceAll(/[^\w]+/g, '_')}@${config.hostname}`,
    in_reply_to: `snippet_${id}@${config.hostname}`,
    headers: { 'X-GitLab-PersonalSnippet-ID': String(id) },
    issue_id: null,
    merge_request_id: null,
  }
}

/** The rendered text, or the text as it was typed if it can't be rendered now: no mail is lost for that. */
async function proseOf(text: string): Promise<Html> {
  try {
    return new Html(await renderFile('mail', text, { gfm: true }))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return html`<pre>${text}</pre>`
  }
}
