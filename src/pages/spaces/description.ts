/** The description of a project or group, as Markdown. */
import type { App } from '../../app.ts'
import { Failure } from '../../failure.ts'
import { renderFile } from '../../features/instance/markdown/markdown.ts'
import { cached } from '../../git/repository/object-cache.ts'
import { type Html, html } from '../../html/html.ts'
import { proseHtml } from '../frame/prose-html.ts'

/** Whether Markdown could produce anything but a plain paragraph: most descriptions are plain, and need no rendering. */
const mayBeMarked = /[\\`*_[\]<>&#~:|\n]|^\s*(?:[-+]|\d+[.)])\s|www\.|@/

/**
 * Null if there is none. Rendered once for each text; shown plain if that takes too long.
 * @param reader whose limits apply to rendering
 */
export async function descriptionOf(app: App, text: string | null, reader: string): Promise<Html | null> {
  if (text === null || text.trim() === '') return null
  if (!mayBeMarked.test(text)) return html`<p>${text}</p>`
  try {
    const rendered = await cached(
      app.git.cache,
      `description ${text}`,
      () => renderFile(reader, text, { gfm: true, within_page: true }),
      (made) => 100 + 2 * (made.length + text.length),
    )
    return html`<div class="description">${await proseHtml(app, rendered)}</div>`
  } catch (error) {
    if (error instanceof Failure) return html`<p>${text}</p>`
    throw error
  }
}
