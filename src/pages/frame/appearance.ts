/** The appearance that administrators have chosen for every page: icon, colours, logo in the header, and messages. */

import type { App } from '../../app.ts'
import { appearanceOf, type Message, type ShownAppearance } from '../../features/storage/appearance/appearance.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { asset } from './assets.ts'
import { proseOf } from './texts.ts'

/** Elements for the head of the document. */
export function looksOf({ images: { favicon, pwa_icon }, pwa, style }: ShownAppearance): Html {
  const isInstallable = pwa.name !== null || pwa_icon !== null
  return html`
    ${
      favicon === null
        ? html`<link rel="icon" href="${asset('icons.svg')}" type="image/svg+xml">`
        : html`<link rel="icon" href="${favicon}">`
    }
    ${style !== null && html`<link rel="stylesheet" href="/-/appearance.css?v=${style.digest}">`}
    ${isInstallable && html`<link rel="manifest" href="/-/manifest.json">`}
  `
}

/** A message on every page, above or below it. */
export function messageBar(message: Message | null, label: string): Html | null {
  return message && html`<aside class="message-bar" aria-label="${label}">${message.html}</aside>`
}

/** The link to the root page, at the left of the header. */
export function brandOf({ title, images: { header_logo } }: ShownAppearance): Html {
  const mark = html`<svg aria-hidden="true" width="20" height="20"><use href="${asset('icons.svg')}#mark"></use></svg><span>Gitstead</span>`
  const picture = header_logo !== null && html`<img src="${header_logo}" alt="" height="28">`
  return html`<a class="brand" href="/" aria-label="${title || t`Gitstead`}">${picture || mark}</a>`
}

/** The logo, name and description of the instance, for who doesn't know it yet; null where administrators have given none. */
export async function introductionOf(app: App): Promise<Html | null> {
  const { title, description, images } = appearanceOf(app)
  if (title === '' && description === null && images.logo === null) return null
  return html`
    <div class="introduction">
      ${images.logo !== null && html`<img class="instance-logo" src="${images.logo}" alt="">`}
      ${title !== '' && html`<p class="title">${title}</p>`}${await proseOf(description)}
    </div>
  `
}
