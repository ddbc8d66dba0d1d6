/** The content of mail about a noteable. */
import { pageUrl } from '../../../addresses/links.ts'
import { projectAddress } from '../../../addresses/places.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Html, html } from '../../../html/untranslated.ts'
import { renderTexts } from '../../discussion/references/references.ts'
import { keyOf, kindOf, nameOfKey, pagePathOf } from '../../noteable-kinds.ts'
import type { Content } from '../outbox/outbox.ts'
import { keyOfNotice, type Notice } from './notices.ts'
import { descriptionOf, type Subject } from './recipients.service.ts'

/** Longer texts are cut. */
const maxText_chars = 64 * 1024

type Person = Pick<User, 'name' | 'username'>

/** @param names of current and former assignees, by id */
export async function contentOf(
  app: App,
  notice: Notice,
  subject: Subject,
  { actor, names }: { actor: Person; names: Map<number, Person> },
): Promise<Content> {
  const { project } = subject
  const thread = `${nameOfKey(keyOf(subject)).replaceAll(' ', '_')}@${app.config.hostname}`
  const isFirst = notice.act === 'new'
  const key = keyOfNotice(notice)
  const url = addressOf(app, subject)
  const said = sentence(notice, subject, actor, names)
  const body = textOf(notice, subject)
  const text = body && shortened(body)
  const [rendered = null] = await renderTexts(app, { project, level: 0, user: null, ip: 'mail' }, [text])
  const prose = text === null || text === '' ? null : rendered === null ? html`<pre>${text}</pre>` : new Html(rendered)
  const commits = notice.commits.map((oid) => oid.slice(0, 8))
  const more = notice.commit_count - commits.length
  return {
    key,
    from_name: actor.name,
    subject: `${isFirst ? '' : 'Re: '}${project.name} | ${titleOf(subject)} (${kindOf(subject).reference(subject.row)})`,
    text: [said, text, commits.length > 0 && commits.map((oid) => `* ${oid}`).join('\n'), more > 0 && `… and ${more} more`]
      .filter((part) => part)
      .join('\n\n'),
    html: html`<p>${said}</p>
${prose}${commits.length > 0 && html`<ul>${commits.map((oid) => html`<li><code>${oid}</code></li>`)}</ul>`}${more > 0 && html`<p>… and ${more} more</p>`}`
      .text,
    url,
    message_id: isFirst ? thread : `${key.replaceAll(/[^\w]+/g, '_')}@${app.config.hostname}`,
    in_reply_to: isFirst ? null : thread,
    headers: {
      'List-Id': `<${project.id}.${project.full_path.replaceAll('/', '.')}.${app.config.hostname}>`,
      'X-GitLab-Project': project.name,
      'X-GitLab-Project-Id': String(project.id),
      'X-GitLab-Project-Path': project.full_path,
      ...headersOf(subject),
    },
    issue_id: subject.kind === 'issue' ? subject.row.id : null,
    merge_request_id: subject.kind === 'merge_request' ? subject.row.id : null,
    ...threadOf(subject),
  }
}

export function shortened(text: string): string {
  return text.length <= maxText_chars ? text : `${text.slice(0, maxText_chars)}…`
}

/** Replies are comments. Mail about snippets and commits is always about a note. */
function threadOf({ kind, row, note }: Subject): Pick<Content, 'thread'> {
  if (note) return { thread: { kind: 'note', id: note.id } }
  return kind === 'issue' || kind === 'merge_request' ? { thread: { kind, id: row.id } } : {}
}

function headersOf(subject: Subject): Record<string, string> {
  const name = `X-GitLab-${kindOf(subject).mailName}`
  if (subject.kind === 'commit') return { [`${name}-ID`]: subject.row.oid }
  const { id, iid } = subject.row
  return { [`${name}-ID`]: String(id), ...(iid !== null && { [`${name}-IID`]: String(iid) }) }
}

/** The title of a commit is only in git. */
function titleOf(subject: Subject): string {
  return subject.commit?.message.split('\n', 1)[0] || kindOf(subject).titleOf(subject.row)
}

/** The text, if the mail is about a text; null otherwise. */
function textOf({ act }: Notice, subject: Subject): string | null {
  if (subject.note) return subject.note.body
  return act === 'new' || act === 'mention' ? descriptionOf(subject) : null
}

function addressOf({ config }: App, subject: Subject): string {
  const page = pageUrl(config, `${projectAddress(subject.project)}/${pagePathOf(subject)}`)
  return subject.note ? `${page}#note_${subject.note.id}` : page
}

function sentence(notice: Notice, subject: Subject, actor: Person, names: Map<number, Person>): string {
  const { noun, reference } = kindOf(subject)
  const what = `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${reference(subject.row)}`
  switch (notice.act) {
    case 'new':
      return `${actor.name} opened ${what.toLowerCase()}:`
    case 'note':
      return `${actor.name} commented on ${what.toLowerCase()}:`
    case 'mention':
      return `${actor.name} mentioned you in ${subject.note ? `a comment on ${what.toLowerCase()}` : what.toLowerCase()}:`
    case 'close':
      return `${what} was closed by ${actor.name}.`
    case 'reopen':
      return `${what} was reopened by ${actor.name}.`
    case 'merge':
      return `${what} was merged by ${actor.name}.`
    case 'push_to':
      return `${actor.name} pushed ${notice.commit_count === 1 ? 'a commit' : `${notice.commit_count} commits`} to ${what.toLowerCase()}:`
    case 'due':
      return `${what} is due on ${subject.kind === 'issue' ? subject.row.due_date : ''}.`
    case 'ask_approval':
      return `${actor.name} asks you to approve ${what.toLowerCase()}.`
    case 'approve':
      return `${what} was approved by ${actor.name}.`
    case 'unapprove':
      return `${actor.name} took their approval of ${what.toLowerCase()} back.`
    case 'unqueued':
      return `${what} was removed from the merge queue because ${notice.because}.`
    case 'unmergeable':
      return `${what} can no longer be merged: its branches conflict.`
    case 'reassign': {
      const list = (ids: number[]) => ids.flatMap((id) => names.get(id)?.name ?? []).join(', ') || 'nobody'
      return `${actor.name} changed who ${what.toLowerCase()} is assigned to: from ${list(notice.assignees.removed)} to ${list(notice.assignees.added)}.`
    }
  }
}
