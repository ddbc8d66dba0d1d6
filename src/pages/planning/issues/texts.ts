/** Markdown of descriptions and notes as HTML. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { renderFile } from '../../../features/instance/markdown/markdown.ts'
import { cached } from '../../../git/repository/object-cache.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { webUrl } from '../../../links.ts'
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
  user: User | null
  repo: Repo
  ip: string
}

/** In their order; null for those without a text. Cached by their text and by where their links lead. */
export async function renderTexts(app: App, reader: Reader, texts: ReadonlyArray<string | null>): Promise<Array<Html | null>> {
  const rendered: Array<Html | null> = []
  let left_chars = maxTogether_chars
  // One after the other: a reader has few places in the queue of the renderer.
  for (const text of texts) {
    const isRendered = text !== null && text.length <= Math.min(left_chars, maxRendered_chars)
    if (isRendered) left_chars -= text.length
    rendered.push(!text ? null : isRendered ? await renderOne(app, reader, text) : asWritten(text))
  }
  return rendered
}

async function renderOne({ config }: App, { project, user, repo, ip }: Reader, text: string): Promise<Html> {
  const home = { url: webUrl(config, project.full_path), default_branch: project.default_branch }
  const reader = user ? `user ${user.id}` : `address ${ip}`
  const render = () => renderFile(reader, text, { gfm: true, home, within_page: true })
  try {
    const made = await cached(repo.git.cache, `issue ${JSON.stringify(home)} ${text}`, render, (made) => 100 + 2 * made.length)
    return html`<div class="prose">${new Html(made)}</div>`
  } catch (error) {
    // Too busy, or too long in the making: the text itself is always there.
    if (error instanceof Failure) return html`<pre class="message">${text}</pre>`
    throw error
  }
}

function asWritten(text: string): Html {
  return html`<p class="hint">${sentences.tooLong}</p><pre class="message">${text.slice(0, maxShown_chars)}</pre>`
}
