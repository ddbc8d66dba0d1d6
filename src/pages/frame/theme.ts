/** Light, dark, or the system's theme: kept in a cookie, so that the server renders the page in the right colors. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { type Html, html } from '../../html/html.ts'
import { shortCookieHeader } from '../../http/caller/cookies.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const cookie = '_service_theme'
const lasts_s = 400 * 86_400

export function themeOf({ headers }: Pick<FastifyRequest, 'headers'>): Theme {
  const found = new RegExp(`(?:^|; ?)${cookie}=(\\w+)(?:;|$)`).exec(headers.cookie ?? '')?.[1]
  return themes.find((theme) => theme === found) ?? 'system'
}

export function setTheme({ config }: App, reply: FastifyReply, theme: Theme): void {
  void reply.header('set-cookie', shortCookieHeader(cookie, theme, theme === 'system' ? 0 : lasts_s, config.url))
}

/** Three buttons, for the footer and for preferences. `back` is the page to return to. */
export function themeChoice(token: Html, current: Theme, back: string): Html {
  return html`
    <form class="theme" method="post" action="/-/theme" aria-label="Colours">
      ${token}<input type="hidden" name="back" value="${back}">
      ${themes.map(
        (theme) =>
          html`
            <button name="theme" value="${theme}" aria-pressed="${String(theme === current)}">
              ${theme.replace(/^./, (letter) => letter.toUpperCase())}
            </button>
          `,
      )}
    </form>
  `
}
