/** Text with links in the markup of each chat. Text of users can't become markup or notify everyone. */
import type { Rich } from './message.ts'

export type Markup = (text: Rich) => string

const byLink = (quote: (text: string) => string, link: (text: string, url: string) => string): Markup => {
  return (rich) => rich.map((part) => (typeof part === 'string' ? quote(part) : link(quote(part.text), part.url))).join('')
}

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '&quot;').replace(/\0/g, '')

/** Inserts a zero-width space, so that `@channel` in a title notifies nobody. */
const quietly = (text: string) => text.replace(/@(?=(all|channel|here|everyone)\b)/gi, '@\u200b')

/** `<url|text>` */
export const slackMarkup = byLink(
  (text) => quietly(text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;' })[sign] ?? '&gt;')),
  (text, url) => `<${url.replace(/[<>|]/g, encodeURIComponent)}|${text.replaceAll('|', '¦')}>`,
)

/** As for Slack, except for what it can't escape. */
export const hangoutsMarkup = byLink(
  (text) => text.replaceAll('<', '‹').replaceAll('>', '›'),
  (text, url) => `<${url.replace(/[<>|]/g, encodeURIComponent)}|${text.replaceAll('|', '¦')}>`,
)

export const markdownMarkup = byLink(
  (text) => quietly(text.replace(/[\\`*_{}[\]()#+!|<>~-]/g, '\\$&')),
  (text, url) => `[${text}](${url.replace(/[()\s\\]/g, encodeURIComponent)})`,
)

export const htmlMarkup = byLink(escapeHtml, (text, url) => `<a href="${escapeHtml(url)}">${text}</a>`)

/** Without links. */
export const plainMarkup = byLink(
  (text) => text,
  (text) => text,
)

/** Links as their URLs. */
export const urlMarkup = byLink(
  (text) => text,
  (text, url) => `${text} ${url}`,
)
