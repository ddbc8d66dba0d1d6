/** Markdown in snippets: references resolve in the project of the snippet; a personal snippet has none. */

import { type Html, html } from '../../../html/html.ts'
import { callerOf } from '../../../http/caller/callers.ts'
import { proseOf } from '../../project/prose.ts'
import { descriptionOf } from '../../spaces/description.ts'
import type { SeenSnippet } from './seen.ts'
import { sentences } from './sentences.ts'

/** Longer texts are shown as source. */
const maxRendered_chars = 64 * 1024
/** Limit for all texts of a page together, as in `proseOf`. */
const maxTogether_chars = 4 * maxRendered_chars
/** Characters shown of a text that is not rendered. */
const maxShown_chars = 256 * 1024

/** In order; null for files without a text. As many statements as `proseOf`, regardless of the number of texts. */
export async function proseIn({ app, access, user, ip }: SeenSnippet, texts: ReadonlyArray<string | null>): Promise<Array<Html | null>> {
  if (access) return proseOf(app, { project: access.project, level: access.level, user, ip }, texts, sentences.tooLong)
  const made: Array<Html | null> = []
  let left_chars = maxTogether_chars
  // One after the other: the renderer limits the queue of each client.
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
