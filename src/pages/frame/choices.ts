/** Choices of people for this browser, such as the language: kept in cookies, so that the server can already write the page accordingly. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { type Html, html } from '../../html/html.ts'
import { currentLanguage, isLanguage, type Language, languages, preferredLanguage } from '../../html/language.ts'
import { translated } from '../../html/sentences.ts'
import { shortCookieHeader } from '../../http/caller/cookies.ts'

/** Light, dark, high in contrast, or as the system has it. */
export const themes = ['system', 'light', 'dark', 'contrast'] as const
export type Theme = (typeof themes)[number]

const labels: Record<Theme, string> = translated({ system: 'System', light: 'Light', dark: 'Dark', contrast: 'High contrast' })

const themeCookie = '_service_theme'
const languageCookie = '_service_language'
const lasts_s = 400 * 86_400

type Sender = Pick<FastifyRequest, 'headers'>

export function themeOf(request: Sender): Theme {
  const chosen = wordIn(request, themeCookie)
  return themes.find((theme) => theme === chosen) ?? 'system'
}

export function setTheme({ config }: App, reply: FastifyReply, theme: Theme): void {
  void reply.header('set-cookie', shortCookieHeader(themeCookie, theme, theme === 'system' ? 0 : lasts_s, config.url))
}

/** The chosen language; without one the first that the browser asks for and that there is. */
export function languageOf(request: Sender): Language {
  const chosen = wordIn(request, languageCookie)
  return chosen !== undefined && isLanguage(chosen) ? chosen : preferredLanguage(request.headers['accept-language'] ?? '')
}

export function setLanguage({ config }: App, reply: FastifyReply, language: Language): void {
  void reply.header('set-cookie', shortCookieHeader(languageCookie, language, lasts_s, config.url))
}

function wordIn({ headers }: Sender, cookie: string): string | undefined {
  return new RegExp(`(?:^|; ?)${cookie}=(\\w+)(?:;|$)`).exec(headers.cookie ?? '')?.[1]
}

/** A button for each language and each theme, for the footer. `back` is the page that is shown then. */
export function choices(token: Html, theme: Theme, back: string): Html {
  const names = Object.keys(languages) as Language[]
  const language = currentLanguage()
  return html`
    <form class="choice" method="post" action="/-/language" aria-label="Language">
      ${token}<input type="hidden" name="back" value="${back}">
      ${names.map(
        (name) =>
          html`
            <button name="language" value="${name}" lang="${name}" aria-pressed="${String(name === language)}">
              ${languages[name]}
            </button>
          `,
      )}
    </form>
    <form class="choice" method="post" action="/-/theme" aria-label="Colours">
      ${token}<input type="hidden" name="back" value="${back}">
      ${themes.map(
        (name) =>
          html`
            <button name="theme" value="${name}" aria-pressed="${String(name === theme)}">
              ${labels[name]}
            </button>
          `,
      )}
    </form>
  `
}
