/** Small parts of many pages: icons, avatars, empty lists, values to copy, bars of progress, navigation. */

import { type Html, html } from '../../html/html.ts'
import { grouped } from '../../text/english.ts'
import { asset } from './assets.ts'

/** A picture of the sprite `src/web/icons.svg`, by the name it has there. Words stand beside it, so it says nothing itself. */
export function icon(name: string): Html {
  return html`<svg class="icon" aria-hidden="true" width="16" height="16"><use href="${asset('icons.svg')}#${name}"></use></svg>`
}

/** The picture of a user, project or group; `url` as the API gives it. The name stands beside it. */
export function avatar(url: string | null, size = 24): Html | null {
  return url === null ? null : html`<img class="avatar" src="${url}" alt="" width="${size}" height="${size}" loading="lazy">`
}

/** Text of users within ours: its direction doesn't turn what is around it. */
export function isolated(text: string): Html {
  return html`<bdi>${text}</bdi>`
}

/** A list or a page with nothing in it: why, and what to do first. */
export function emptyState(sentence: string, ...actions: Array<Html | null | false>): Html {
  return html`<div class="empty"><p>${sentence}</p>${actions}</div>`
}

/** A value to copy, with a button where scripts run. `secret` where it is shown only now. */
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
  /** A key that leads there, such as `g f`. */
  key?: string | undefined
  /** How many there are; none is not said. The name of a number of `counts`, where it comes later. */
  count?: number | string | undefined
}

/** Links to pages that belong together. `counts` is where script asks for numbers of them. */
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

/** How far long work is; `max` null where nobody knows how much there is. */
export function progressBar(label: string, done: number, max: number | null): Html {
  const known = max === null ? null : html` value="${done}" max="${max}"`
  return html`<progress aria-label="${label}"${known}>${max === null ? '' : `${done}/${max}`}</progress>`
}

/**
 * What was not ready when its place was sent: script puts it into the element of this id, which stands in an earlier part of the page.
 * Without script it isn't shown, so it is nothing that the page can't be used without.
 */
export function late(id: string, content: Html): Html {
  return html`<template data-late="${id}">${content}</template>`
}

/** For the `head` of a page of long work that goes on: where no script runs, it loads itself again. With script `live` does. */
export function refreshing(seconds: number): Html {
  return html`<noscript><meta http-equiv="refresh" content="${seconds}"></noscript>`
}
