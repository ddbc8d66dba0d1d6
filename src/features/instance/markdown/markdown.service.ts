/** Renders Markdown: of users, through a fair queue, and of administrators, whose texts are cached. */
import { createNetworkRate } from '../../../limits/network-rate.ts'
import type { Flavour } from './render.ts'
import { openRenderer } from './renderer.ts'
import type { Template } from './template.ts'

const renderer = openRenderer()

/** Renders a text whose references are resolved for each reader (`renderTexts` of discussion/references). Throws as `renderFile` does. */
export function renderTemplate(reader: string, text: string, flavour: Omit<Flavour, 'gfm'>, site: string): Promise<Template> {
  return renderer.renderTemplate(text, flavour, site, reader)
}

/** Renders a text for a reader, identified by `callerOf`. Throws 503 if it takes too long, 429 if too many of theirs wait. */
export function renderFile(reader: string, text: string, flavour: Flavour): Promise<string> {
  return renderer.render(text, flavour, reader)
}

/** Highlights a file of a repository in the same process. Throws as `renderFile` does. */
export function highlightFile(reader: string, text: string, language: string): Promise<Uint8Array | null> {
  return renderer.highlight(text, language, reader)
}

const ofNetwork = createNetworkRate({ max: 30, window_ms: 60_000 })

/** Counts a text that an anonymous caller wants rendered. Throws 429 beyond the limit of their network. */
export function countAnonymousText(address: string): void {
  ofNetwork.count(address)
}

/** The few texts of administrators: they are on pages that everyone opens. */
const cache = new Map<string, Promise<string>>()
const maxCached = 50

/** Renders texts that administrators wrote for everyone: sign-in pages, terms, messages. Concurrent callers share one rendering. */
export function renderProse(text: string): Promise<string> {
  const known = cache.get(text)
  if (known) return known
  const rendered = renderer.render(text, { gfm: false }, 'administrators')
  if (cache.size >= maxCached) cache.clear()
  cache.set(text, rendered)
  // A failure is not cached.
  rendered.catch(() => cache.delete(text))
  return rendered
}
