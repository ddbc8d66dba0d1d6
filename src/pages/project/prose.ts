/** Markdown of a project on its pages: descriptions and notes, with references as far as the reader can see what they lead to. */
import type { App } from '../../app.ts'
import { type Reader, renderTexts } from '../../features/planning/references/references.ts'
import { Html, html } from '../frame/html.ts'

/** Longer ones are shown as they were written. */
const maxRendered_chars = 64 * 1024
/** Of all on one page together: more would take seconds, and the renderer is shared. */
const maxTogether_chars = 4 * maxRendered_chars
/** Of a text that is not rendered so much is shown. */
const maxShown_chars = 256 * 1024

/** Of longer texts the beginning is shown, with this sentence below. */
export interface Cut {
  max_chars: number
  sentence: string
}

/**
 * In their order; null for those without a text. At most nine statements, however many there are.
 * @param tooLong the sentence above those that are too long to be rendered
 */
export async function proseOf(
  app: App,
  reader: Reader,
  texts: ReadonlyArray<string | null>,
  tooLong: string,
  cut?: Cut,
): Promise<Array<Html | null>> {
  let left_chars = maxTogether_chars
  const rendered = texts.map((text) => {
    if (!text || text.length > Math.min(left_chars, cut?.max_chars ?? maxRendered_chars)) return null
    left_chars -= text.length
    return text
  })
  const made = await renderTexts(app, reader, rendered, { within_page: true })
  return texts.map((text, index) => {
    const prose = made[index]
    if (!text) return null
    if (typeof prose === 'string') return html`<div class="prose">${new Html(prose)}</div>`
    // Too busy, or too long in the making: the text itself is always there.
    const isLong = rendered[index] === null
    if (cut && text.length > cut.max_chars)
      return html`<pre class="message">${text.slice(0, cut.max_chars)}</pre><p class="hint">${cut.sentence}</p>`
    return html`${isLong && html`<p class="hint">${tooLong}</p>`}<pre class="message">${text.slice(0, maxShown_chars)}</pre>`
  })
}
