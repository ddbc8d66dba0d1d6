/** The status of a commit, a pipeline or a job: a word with an icon, so that color is never the only sign. */

import { type Html, html } from '../../html/html.ts'
import { translated } from '../../html/sentences.ts'
import { icon } from '../frame/parts.ts'

const words: Readonly<Record<string, string>> = translated({
  success: 'passed',
  failed: 'failed',
  canceled: 'canceled',
  canceling: 'canceling',
  skipped: 'skipped',
  running: 'running',
  pending: 'pending',
  waiting_for_resource: 'waiting for resource',
  preparing: 'preparing',
  created: 'created',
  manual: 'manual',
  scheduled: 'delayed',
  warning: 'passed with warnings',
})

const looks: Readonly<Record<string, readonly [icon: string, kind: string]>> = {
  success: ['check', 'added'],
  failed: ['cross', 'removed'],
  canceled: ['canceled', ''],
  canceling: ['canceled', ''],
  skipped: ['skipped', ''],
  running: ['running', 'busy'],
  pending: ['pending', 'waits'],
  waiting_for_resource: ['pending', 'waits'],
  preparing: ['created', ''],
  created: ['created', ''],
  manual: ['manual', ''],
  scheduled: ['clock', ''],
  warning: ['warning', 'waits'],
}

/** In words, such as `failed`: for titles and screen readers. */
export function statusWords(status: string): string {
  return words[status] ?? status
}

/** `status` as in the API; an unknown one is shown unchanged. Links to `href` if given. */
export function statusBadge(status: string, href: string | null = null): Html {
  const [picture, kind] = looks[status] ?? ['more', '']
  const content = html`${icon(picture)} ${statusWords(status)}`
  const className = `tag status ${kind}`.trim()
  return href === null ? html`<span class="${className}">${content}</span>` : html`<a class="${className}" href="${href}">${content}</a>`
}

/** The icon alone, if there is no room for the word, which is in its tooltip and read by screen readers, after `of`. */
export function statusIcon(status: string, of = ''): Html {
  const [picture, kind] = looks[status] ?? ['more', '']
  const said = of === '' ? statusWords(status) : `${of}: ${statusWords(status)}`
  return html`<span class="${`status-icon ${kind}`.trim()}" title="${said}">${icon(picture)}<span class="unseen">${said}</span></span>`
}
