/** What mail about an issue or a merge request says. */
import { pageUrl } from '../../../addresses/links.ts'
import { mergeRequestAddress } from '../../../addresses/merge-requests.ts'
import { issueAddress } from '../../../addresses/planning.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Html, html } from '../../../html/html.ts'
import { renderTexts } from '../../discussion/references/references.ts'
import type { Content } from '../outbox/outbox.ts'
import { keyOf, type Notice } from './notices.ts'
import type { Subject } from './recipients.service.ts'

const nouns = { issue: 'Issue', merge_request: 'Merge request' }
const signs = { issue: '#', merge_request: '!' }
/** Of a longer text the beginning is sent. */
const maxText_chars = 64 * 1024

type Person = Pick<User, 'name' | 'username'>

/** @param names of those who are assigned now or were before, by id */
export async function contentOf(
  app: App,
  notice: Notice,
  subject: Subject,
  { actor, names }: { actor: Person; names: Map<number, Person> },
): Promise<Content> {
  const { kind, row, project, note } = subject
  const thread = `${kind}_${row.id}@${app.config.hostname}`
  const isFirst = notice.act === 'new'
  const key = keyOf(notice)
  const url = addressOf(app, subject)
  const said = sentence(notice, subject, actor, names)
  const body = isFirst ? row.description : (note?.body ?? null)
  const text = body === null || body.length <= maxText_chars ? body : `${body.slice(0, maxText_chars)}…`
  const [rendered = null] = await renderTexts(app, { project, level: 0, user: null, ip: 'mail' }, [text])
  const prose = text === null || text === '' ? null : rendered === null ? html`<pre>${text}</pre>` : new Html(rendered)
  const commits = notice.commits.map((oid) => oid.slice(0, 8))
  const more = notice.commit_count - commits.length
  return {
    key,
    from_name: actor.name,
    subject: `${isFirst ? '' : 'Re: '}${project.name} | ${row.title} (${signs[kind]}${row.iid})`,
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
      [kind === 'issue' ? 'X-GitLab-Issue-ID' : 'X-GitLab-MergeRequest-ID']: String(row.id),
      [kind === 'issue' ? 'X-GitLab-Issue-IID' : 'X-GitLab-MergeRequest-IID']: String(row.iid),
    },
    issue_id: kind === 'issue' ? row.id : null,
    merge_request_id: kind === 'merge_request' ? row.id : null,
  }
}

function addressOf({ config }: App, { kind, row, project, note }: Subject): string {
  const page = pageUrl(config, kind === 'issue' ? issueAddress(project, row.iid) : mergeRequestAddress(project, row.iid))
  return note ? `${page}#note_${note.id}` : page
}

function sentence(notice: Notice, { kind, row }: Subject, actor: Person, names: Map<number, Person>): string {
  const what = `${nouns[kind]} ${signs[kind]}${row.iid}`
  switch (notice.act) {
    case 'new':
      return `${actor.name} opened ${what.toLowerCase()}:`
    case 'note':
      return `${actor.name} commented on ${what.toLowerCase()}:`
    case 'close':
      return `${what} was closed by ${actor.name}.`
    case 'reopen':
      return `${what} was reopened by ${actor.name}.`
    case 'merge':
      return `${what} was merged by ${actor.name}.`
    case 'push_to':
      return `${actor.name} pushed ${notice.commit_count === 1 ? 'a commit' : `${notice.commit_count} commits`} to ${what.toLowerCase()}:`
    case 'due':
      return `${what} is due on ${kind === 'issue' ? row.due_date : ''}.`
    case 'unmergeable':
      return `${what} can no longer be merged: its branches conflict.`
    case 'reassign': {
      const list = (ids: number[]) => ids.flatMap((id) => names.get(id)?.name ?? []).join(', ') || 'nobody'
      return `${actor.name} changed who ${what.toLowerCase()} is assigned to: from ${list(notice.assignees.removed)} to ${list(notice.assignees.added)}.`
    }
  }
}
