/** Small parts of many pages: icons, avatars, empty lists, values to copy, progress bars, navigation. */

import { type Html, html } from '../../html/html.ts'
import { grouped } from '../../html/numbers-and-dates.ts'
import { asset } from './assets.ts'

/** An icon of the sprite `src/web/icons.svg`, by its name there. It is hidden from screen readers, as it always has a label beside it. */
export function icon(name: string): Html {
  return html`<svg class="icon" aria-hidden="true" width="16" height="16"><use href="${asset('icons.svg')}#${name}"></use></svg>`
}

/** The avatar of a user, project or group; `url` as in the API. Hidden from screen readers, as the name is beside it. */
export function avatar(url: string | null, size = 24): Html | null {
  return url === null ? null : html`<img class="avatar" src="${url}" alt="" width="${size}" height="${size}" loading="lazy">`
}

/** Text of users within our own: its direction doesn't affect the text around it. */
export function isolated(text: string): Html {
  return html`<bdi>${text}</bdi>`
}

/** An empty list or page: why it is empty, and what to do first. */
export function emptyState(sentence: string, ...actions: Array<Html | null | false>): Html {
  return html`<div class="empty"><p>${sentence}</p>${actions}</div>`
}

/** A value to copy, with a button if scripts run. `secret` if it is shown only now. */
export function copyable(label: string, value: string): Html {
  return html`<copy-text class="copy"><code aria-label="${label}">${value}</code></copy-text>`
}

/** Commands to copy as a whole, with a button where scripts run. */
export function copyableBlock(commands: string): Html {
  return html`<copy-text class="copy block"><pre><code>${commands}</code></pre></copy-text>`
}

export interface NavLink {
  label: string | Html
  href: string
  isCurrent: boolean
  /** A keyboard shortcut, such as `g f`. */
  key?: string | undefined
  /** The count; undefined shows none. The name of a number of `counts` if it is loaded later. */
  count?: number | string | undefined
}

/** Links to pages that belong together. `counts` is the URL from which a script loads the numbers. */
export function navigation(label: string, links: readonly NavLink[], className = 'tabs', counts: string | null = null): Html {
  return html`
    <nav class="${className}" aria-label="${label}"${counts !== null && html` data-counts="${counts}"`}>
      <ul>
        ${links.map(
          ({ label: text, href, isCurrent, key, count = 0 }) =>
            html`
              <li>
                <a
                  href="${href}"
                  ${isCurrent && html` aria-current="page"`}
                  ${key !== undefined && html` data-key="${key}"`}
                  ${typeof count === 'string' && html` data-count="${count}"`}
                >${text}${typeof count === 'number' && count > 0 && html` <span class="count">${grouped(count)}</span>`}</a>
              </li>
            `,
        )}
      </ul>
    </nav>
  `
}

/** The progress of long work; `max` is null if the total is unknown. */
export function progressBar(label: string, done: number, max: number | null): Html {
  const known = max === null ? null : html` value="${done}" max="${max}"`
  return html`<progress aria-label="${label}"${known}>${max === null ? '' : `${done}/${max}`}</progress>`
}

/**
 * Content that was not ready when its place was sent: a script moves it into the element with this id, in an earlier part of the page.
 * Without scripts it isn't shown, so the page must be usable without it.
 */
export function late(id: string, content: Html): Html {
  return html`<template data-late="${id}">${content}</template>`
}

/** For the `head` of a page of long work that is still running: reloads the page if no scripts run. With scripts, `live` does that. */
export function refreshing(seconds: number): Html {
  return html`<noscript><meta http-equiv="refresh" content="${seconds}"></noscript>`
}
