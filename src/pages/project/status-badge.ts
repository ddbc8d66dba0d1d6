/** The status of a commit, a pipeline or a job: a word with an icon, so that color is never the only sign. */
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

/** In words, such as `failed`: for titles and screen readers. */
export function statusWords(status: string): string {
  return shown[status]?.[0] ?? status
}

/** `status` as in the API; an unknown one is shown unchanged. Links to `href` if given. */
export function statusBadge(status: string, href: string | null = null): Html {
  const [words, picture, kind] = shown[status] ?? [status, 'more', '']
  const content = html`${icon(picture)} ${words}`
  const className = `tag status ${kind}`.trim()
  return href === null ? html`<span class="${className}">${content}</span>` : html`<a class="${className}" href="${href}">${content}</a>`
}

/** The icon alone, if there is no room for the word, which is in its tooltip and read by screen readers, after `of`. */
export function statusIcon(status: string, of = ''): Html {
  const [words, picture, kind] = shown[status] ?? [status, 'more', '']
  const said = of === '' ? words : `${of}: ${words}`
  return html`<span class="${`status-icon ${kind}`.trim()}" title="${said}">${icon(picture)}<span class="unseen">${said}</span></span>`
}
