/** The status of a commit or of its pipeline, as a word with a picture: never by colour alone. */
import { type Html, html } from '../frame/html.ts'
import { icon } from '../frame/parts.ts'

const shown: Readonly<Record<string, readonly [words: string, icon: string, kind: string]>> = {
  success: ['passed', 'check', 'added'],
  failed: ['failed', 'cross', 'removed'],
  canceled: ['canceled', 'cross', ''],
  skipped: ['skipped', 'more', ''],
  running: ['running', 'more', ''],
  pending: ['pending', 'more', ''],
  created: ['created', 'more', ''],
  manual: ['manual', 'more', ''],
}

/** `status` as the API has it; one that is unknown is shown as it is. With `href` it leads to what it is about. */
export function statusBadge(status: string, href: string | null = null): Html {
  const [words, picture, kind] = shown[status] ?? [status, 'more', '']
  const content = html`${icon(picture)} ${words}`
  const className = `tag status ${kind}`.trim()
  return href === null ? html`<span class="${className}">${content}</span>` : html`<a class="${className}" href="${href}">${content}</a>`
}
