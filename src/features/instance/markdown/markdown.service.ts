/** Markdown as HTML: of users, through a fair queue, and of administrators, whose texts are cached. */
import { createNetworkRate } from '../../../limits/network-rate.ts'
import type { Flavour } from './render.ts'
import { openRenderer } from './renderer.ts'
import type { Template } from './template.ts'

const renderer = openRenderer()

/** Renders a text whose references are resolved for each reader (`renderTexts` of planning/references). Throws as `renderFile`. */
export function renderTemplate(reader: string, text: string, flavour: Omit<Flavour, 'gfm'>, site: string): Promise<Template> {
  return renderer.renderTemplate(text, flavour, site, reader)
}

/** Renders a text for a reader, by whom it is counted (`callerOf`). Throws 503 when it takes too long, 429 when too many of theirs wait. */
export function renderFile(reader: string, text: string, flavour: Flavour): Promise<string> {
  return renderer.render(text, flavour, reader)
}

/** Highlights a file of a repository, in the same thread. Throws as `renderFile`. */
export function highlightFile(reader: string, text: string, language: string): Promise<Uint8Array | null> {
  return renderer.highlight(text, language, reader)
}

const ofNetwork = createNetworkRate({ max: 30, window_ms: 60_000 })

/** Counts a text that a caller who hasn't signed in wants rendered. Throws 429 beyond the maximum of their network. */
export function countAnonymousText(address: string): void {
  ofNetwork.count(address)
}

/** The few texts of administrators: they stand on pages that everybody opens. */
const cache = new Map<string, Promise<string>>()
const maxCached = 50

/**
 * Renders texts that administrators have written for everybody: sign-in pages, terms, messages. All who want the same at once wait for one
 * rendering.
 */
export function renderProse(text: string): Promise<string> {
  const known = cache.get(text)
  if (known) return known
  const rendered = renderer.render(text, { gfm: false }, 'administrators')
  if (cache.size >= maxCached) cache.clear()
  cache.set(text, rendered)
  // The next caller tries again.
  rendered.catch(() => cache.delete(text))
  return rendered
}
