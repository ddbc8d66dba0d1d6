/** The status of a commit, a pipeline or a job: a word with a picture, never by colour alone. */
import { type Html, html } from '../../html/html.ts'
import { icon } from '../frame/parts.ts'

const shown: Readonly<Record<string, readonly [words: string, icon: string, kind: string]>> = {
  success: ['passed', 'check', 'added'],
  failed: ['failed', 'cross', 'removed'],
  canceled: ['canceled', 'canceled', ''],
  canceling: ['canceling', 'canceled', ''],
  skipped: ['skipped', 'skipped', ''],
  running: ['running', 'running', 'busy'],
  pending: ['pending', 'pending', 'waits'],
  waiting_for_resource: ['waiting for resource', 'pending', 'waits'],
  preparing: ['preparing', 'created', ''],
  created: ['created', 'created', ''],
  manual: ['manual', 'manual', ''],
  scheduled: ['delayed', 'clock', ''],
  warning: ['passed with warnings', 'warning', 'waits'],
}

/** In words, as `failed`: for titles and for who hears the page. */
export function statusWords(status: string): string {
  return shown[status]?.[0] ?? status
}

/** `status` as the API has it; one that is unknown is shown as it is. With `href` it leads to what it is about. */
export function statusBadge(status: string, href: string | null = null): Html {
  const [words, picture, kind] = shown[status] ?? [status, 'more', '']
  const content = html`${icon(picture)} ${words}`
  const className = `tag status ${kind}`.trim()
  return href === null ? html`<span class="${className}">${content}</span>` : html`<a class="${className}" href="${href}">${content}</a>`
}

/** The picture alone, where there is no room for the word: it is read out, and shown to who points at it. `of` is said before it. */
export function statusIcon(status: string, of = ''): Html {
  const [words, picture, kind] = shown[status] ?? [status, 'more', '']
  const said = of === '' ? words : `${of}: ${words}`
  return html`<span class="${`status-icon ${kind}`.trim()}" title="${said}">${icon(picture)}<span class="unseen">${said}</span></span>`
}
