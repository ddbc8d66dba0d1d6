/** Markdown of a project on its pages: descriptions and notes. References only resolve to what the viewer can see. */

import type { App } from '../../app.ts'
import { type Reader, type RenderOptions, renderTexts } from '../../features/discussion/references/references.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { proseHtml } from '../frame/prose-html.ts'

/** Longer texts are shown as source. */
const maxRendered_chars = 64 * 1024
/** Limit for all texts of a page: more would take seconds, and all users share the renderer. */
const maxTogether_chars = 4 * maxRendered_chars
/** Characters shown of a text that is not rendered. */
export const maxShown_chars = 256 * 1024
/** The limit for all texts of a page together; only the beginning is shown of each one beyond it. */
const maxShownTogether_chars = 4 * maxShown_chars
const beginning_chars = 1_000

const beginningOnly = () => t`Only the beginning is shown.`

/** Longer texts are cut, with this message below. */
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
 * In order; null for rows without a text. At most nine statements, regardless of the number of texts.
 * @param tooLong the message above texts that are too long to render
 * @param home where files are looked up, if not in the default branch
 * @param isBeginning whether only the beginning of a text was read
 * @param wholeOf URL of the full text, for readers who may open it: linked below its beginning
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
  const pictured = await Promise.all(made.map((prose) => (typeof prose === 'string' ? proseHtml(app, prose) : null)))
  return texts.map((text, index) => {
    const prose = pictured[index]
    if (!text) return null
    if (prose) return html`<div class="prose">${prose}</div>`
    // The renderer is too busy, or took too long: the source is always available.
    const isLong = rendered[index] === null
    if (cut && (text.length > cut.max_chars || isBeginning(index)))
      return html`<pre class="message">${text.slice(0, cut.max_chars)}</pre><p class="hint">${cut.sentence}</p>`
    const shown = text.slice(0, shown_chars < maxShownTogether_chars ? maxShown_chars : beginning_chars)
    shown_chars += shown.length
    const rest =
      (shown.length < text.length || isBeginning(index)) &&
      html`<p class="hint">${beginningOnly()}${wholeOf !== undefined && html` <a href="${wholeOf(index)}">All of it, as JSON</a>`}</p>`
    return html`${isLong && html`<p class="hint">${tooLong}</p>`}<pre class="message">${shown}</pre>${rest}`
  })
}
