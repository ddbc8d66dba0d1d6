/** Markdown in snippets: references lead to what is in the project of the snippet; a personal one has none. */

import { type Html, html } from '../../../html/html.ts'
import { callerOf } from '../../../http/caller/callers.ts'
import { proseOf } from '../../project/prose.ts'
import { descriptionOf } from '../../spaces/description.ts'
import type { SeenSnippet } from './seen.ts'
import { sentences } from './sentences.ts'

/** Longer ones are shown as they were written. */
const maxRendered_chars = 64 * 1024
/** Of all on one page together, as in `proseOf`. */
const maxTogether_chars = 4 * maxRendered_chars
/** Of a text that is not rendered so much is shown. */
const maxShown_chars = 256 * 1024

/** In their order; null for those without a text. As many statements as `proseOf` needs, however many there are. */
export async function proseIn({ app, access, user, ip }: SeenSnippet, texts: ReadonlyArray<string | null>): Promise<Array<Html | null>> {
  if (access) return proseOf(app, { project: access.project, level: access.level, user, ip }, texts, sentences.tooLong)
  const made: Array<Html | null> = []
  let left_chars = maxTogether_chars
  // One after the other: a reader has few places in the queue of the renderer.
  for (const text of texts) {
    const { length } = text ?? ''
    const isLong = length > Math.min(left_chars, maxRendered_chars)
    if (!isLong) left_chars -= length
    const rendered = isLong ? null : await descriptionOf(app, text, callerOf(user, ip))
    const plain =
      isLong && html`<p class="hint">${sentences.tooLong}</p><pre class="message">${(text ?? '').slice(0, maxShown_chars)}</pre>`
    made.push(plain || (rendered && html`<div class="prose">${rendered}</div>`))
  }
  return made
}
