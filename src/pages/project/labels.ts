/** Labels on pages. */
import type { Label } from '../../db/tables.ts'
import { type Html, html } from '../../html/html.ts'

/** The color of a label. */
export function dot(color: string): Html {
  return html`<svg class="dot" aria-hidden="true" width="10" height="10"><circle cx="5" cy="5" r="5" fill="${color}"></circle></svg>`
}

/** A label: its color as a dot, as text on an arbitrary color could be unreadable. Links to a list filtered by it. */
export function labelTag({ title, color, description }: Label, listAddress: string): Html {
  const address = `${listAddress}?label_name%5B%5D=${encodeURIComponent(title)}`
  const about = description !== null && html` title="${description}"`
  return html`<a class="tag label" href="${address}"${about}>${dot(color)}<bdi>${title}</bdi></a> `
}
