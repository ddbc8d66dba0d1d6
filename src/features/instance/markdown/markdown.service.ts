/** Markdown as HTML: of users, who wait for their turn, and of administrators, whose texts are remembered. */
import type { Flavour } from './render.ts'
import { openRenderer } from './renderer.ts'

const renderer = openRenderer()

/** What a user sends. Throws 503 for a text that takes too long, and 429 when too many of his wait already. */
export function renderFor(user: { id: number }, text: string, flavour: Flavour): Promise<string> {
  return renderer.render(text, flavour, `user ${user.id}`)
}

/** The few texts of administrators: they stand on pages that everybody opens. */
const remembered = new Map<string, Promise<string>>()
const maxRemembered = 10

/** What administrators have written for everybody: sign-in pages, terms. All who want the same at once wait for one rendering. */
export function renderProse(text: string): Promise<string> {
  const known = remembered.get(text)
  if (known) return known
  const rendered = renderer.render(text, { gfm: false }, 'administrators')
  if (remembered.size >= maxRemembered) remembered.clear()
  remembered.set(text, rendered)
  // Whoever comes next tries again.
  rendered.catch(() => remembered.delete(text))
  return rendered
}
