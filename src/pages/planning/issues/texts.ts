/** Markdown of descriptions and notes as HTML, with links as far as the reader can see what they lead to. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { renderTexts } from '../../../features/planning/references/references.ts'
import { Html, html } from '../../frame/html.ts'
import { sentences } from './sentences.ts'

/** Longer ones are shown as they were written. */
const maxRendered_chars = 64 * 1024
/** Of all on one page together: more would take seconds, and the renderer is shared. */
const maxTogether_chars = 4 * maxRendered_chars
/** Of a text that is not rendered so much is shown. */
const maxShown_chars = 256 * 1024

export interface Reader {
  project: LocatedProject
  level: number
  user: User | null
  ip: string
}

/** In their order; null for those without a text. At most seven statements. */
export async function renderAll(app: App, reader: Reader, texts: ReadonlyArray<string | null>): Promise<Array<Html | null>> {
  let left_chars = maxTogether_chars
  const isRendered = texts.map((text) => {
    const fits = text !== null && text !== '' && text.length <= Math.min(left_chars, maxRendered_chars)
    if (fits) left_chars -= text.length
    return fits
  })
  const rendered = await rendering(
    app,
    reader,
    texts.filter((text, index): text is string => text !== null && isRendered[index] === true),
  )
  return texts.map((text, index) => {
    if (!text) return null
    if (!isRendered[index]) return asWritten(text)
    const made = rendered?.shift()
    return made === undefined ? html`<pre class="message">${text}</pre>` : html`<div class="prose">${new Html(made)}</div>`
  })
}

/** Null where the renderer is too busy, or a text takes too long: the texts themselves are always there. */
async function rendering(app: App, { project, level, user, ip }: Reader, texts: string[]): Promise<string[] | null> {
  const queue = user ? `user ${user.id}` : `address ${ip}`
  try {
    return await renderTexts(app, { access: { project, level }, viewer: user, queue }, texts, { within_page: true })
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

function asWritten(text: string): Html {
  return html`<p class="hint">${sentences.tooLong}</p><pre class="message">${text.slice(0, maxShown_chars)}</pre>`
}
