/** Markdown of a project on its pages: descriptions and notes, with references as far as the reader can see what they lead to. */
import type { App } from '../../app.ts'
import { type Reader, type RenderOptions, renderTexts } from '../../features/discussion/references/references.ts'
import { Html, html } from '../../html/html.ts'

/** Longer ones are shown as they were written. */
const maxRendered_chars = 64 * 1024
/** Of all on one page together: more would take seconds, and the renderer is shared. */
const maxTogether_chars = 4 * maxRendered_chars
/** Of a text that is not rendered so much is shown. */
export const maxShown_chars = 256 * 1024
/** Of all on one page together; and of each after that. */
const maxShownTogether_chars = 4 * maxShown_chars
const beginning_chars = 1_000

const beginningOnly = 'Only the beginning is shown.'

/** Of longer texts the beginning is shown, with this sentence below. */
export interface Cut {
  max_chars: number
  sentence: string
}

export interface ProseOptions {
  home?: RenderOptions['home']
  cut?: Cut | undefined
  isBeginning?: (index: number) => boolean
  wholeOf?: (index: number) => string
}

/**
 * In their order; null for those without a text. At most nine statements, however many there are.
 * @param tooLong the sentence above those that are too long to be rendered
 * @param home where files are looked for, where not in the default branch
 * @param isBeginning whether no more than the beginning of a text was read
 * @param wholeOf where all of a text is, for readers who may ask there: linked below its beginning
 */
export async function proseOf(
  app: App,
  reader: Reader,
  texts: ReadonlyArray<string | null>,
  tooLong: string,
  { home, cut, isBeginning = () => false, wholeOf }: ProseOptions = {},
): Promise<Array<Html | null>> {
  let left_chars = maxTogether_chars
  const rendered = texts.map((text, index) => {
    if (!text || isBeginning(index) || text.length > Math.min(left_chars, cut?.max_chars ?? maxRendered_chars)) return null
    left_chars -= text.length
    return text
  })
  const made = await renderTexts(app, reader, rendered, home ? { within_page: true, home } : { within_page: true })
  let shown_chars = 0
  return texts.map((text, index) => {
    const prose = made[index]
    if (!text) return null
    if (typeof prose === 'string') return html`<div class="prose">${new Html(prose)}</div>`
    // Too busy, or too long in the making: the text itself is always there.
    const isLong = rendered[index] === null
    if (cut && (text.length > cut.max_chars || isBeginning(index)))
      return html`<pre class="message">${text.slice(0, cut.max_chars)}</pre><p class="hint">${cut.sentence}</p>`
    const shown = text.slice(0, shown_chars < maxShownTogether_chars ? maxShown_chars : beginning_chars)
    shown_chars += shown.length
    const rest =
      (shown.length < text.length || isBeginning(index)) &&
      html`<p class="hint">${beginningOnly}${wholeOf !== undefined && html` <a href="${wholeOf(index)}">All of it, as JSON</a>`}</p>`
    return html`${isLong && html`<p class="hint">${tooLong}</p>`}<pre class="message">${shown}</pre>${rest}`
  })
}
