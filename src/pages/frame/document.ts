/** The HTML document around every page, its headers, and redirects. */

import type { FastifyReply } from 'fastify'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { appearanceOf } from '../../features/storage/appearance/appearance.ts'
import { Html, html } from '../../html/html.ts'
import { currentLanguage, sentencesOfScripts } from '../../html/language.ts'
import { t } from '../../html/sentences.ts'
import { holdAnswer } from '../../http/limits/held-bytes.ts'
import { isUrl } from '../../text/parse-url.ts'
import { looksOf, messageBar } from './appearance.ts'
import { asset } from './assets.ts'
import type { Theme } from './choices.ts'
import { encodingsFor, packed } from './compress.ts'
import type { OwnCounts } from './counts.ts'
import type { SearchScope, View } from './declaration.ts'
import { footerOf, headerOf } from './header.ts'
import { startParts, streamOf } from './stream.ts'

/** The viewer and the URL of a page. */
export interface Frame {
  app: App
  user: User | null
  /** Null if the page can have no forms, as on error pages. */
  token: Html | null
  /** Path and query of the page. */
  address: string
  theme: Theme
  /** The message of the action that redirected here. */
  notice?: string | null
  /** On top of the page: broadcast messages and impersonation. */
  banners?: Html | null
  /** Open items of the user; null if a script is to request them. */
  counts?: OwnCounts | null
}

/** A view whose part above `main` has been read. */
export type ShownView = Omit<View, 'above' | 'searchIn'> & { above?: Html | null; searchIn?: SearchScope | null }

/** Sends a page: never cached, never framed, with our own scripts and styles only; compressed, and in parts if it has parts. */
export async function sendView(reply: FastifyReply, view: ShownView, frame: Frame): Promise<FastifyReply> {
  const { leads_to = null, status = 200, main } = view
  const parts = main instanceof Html ? null : await startParts(main)
  const elsewhere = leads_to !== null && isUrl(leads_to) ? ` ${sourceOf(new URL(leads_to))}` : ''
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "manifest-src 'self'",
    "connect-src 'self'",
    "img-src 'self' https: data:",
    "media-src 'self' https:",
    "frame-src 'self'",
    `form-action 'self'${elsewhere}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  void reply.headers({
    'content-security-policy': policy.join('; '),
    // With `no-referrer`, browsers send our own forms with `Origin: null`, as if they came from another site.
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
    vary: 'cookie, accept-encoding, accept-language, sec-fetch-site',
  })
  void reply.code(status).type('text/html; charset=utf-8')
  const encodings = encodingsFor(reply.request, { isSignedIn: frame.user !== null, isSecure: frame.app.config.url.startsWith('https:') })
  const around = { before: beginningOf(view, frame).text, after: endOf(frame).text }
  if (parts) {
    const [encoding = null] = encodings
    if (encoding) void reply.header('content-encoding', encoding)
    return reply.send(streamOf(reply.request, parts, around, encoding))
  }
  const text = around.before + (main as Html).text + around.after
  const found = await packed(text, encodings)
  // The client of a sent form may have changed something, so it gets the reply even when memory is short.
  if (reply.request.method === 'GET') holdAnswer(frame.app, reply.request, reply, found?.bytes.length ?? Buffer.byteLength(text))
  if (found) void reply.header('content-encoding', found.encoding)
  return reply.send(found?.bytes ?? text)
}

/** For a URL whose scheme belongs to an app on a device: only the scheme. */
function sourceOf({ origin, protocol }: URL): string {
  return origin === 'null' ? protocol : origin
}

function beginningOf({ title, above, head, scripts = [], isWide = false, searchIn = null, creations = [] }: ShownView, frame: Frame): Html {
  const { theme, notice = null, banners = null } = frame
  return html`
    <!DOCTYPE html>
    <html lang="${currentLanguage()}"${theme !== 'system' && html` data-theme="${theme}"`}>
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>${title === 'Gitstead' ? title : t`${title} · Gitstead`}</title>
        <link rel="stylesheet" href="${asset('style.css')}">
        ${looksOf(appearanceOf(frame.app))}
        <link rel="search" type="application/opensearchdescription+xml" title="Gitstead" href="/opensearch.xml">
        <script
          type="module"
          src="${asset('main.js')}"
          data-palette="${asset('palette.js')}"
          data-diagrams="${asset('diagrams.js')}"
        ></script>
        ${wordsOfScripts()}
        ${scripts.map((name) => html`<script type="module" src="${asset(name)}"></script>`)}
        ${head ?? null}
      </head>
      <body${isWide && html` class="wide"`}>
        ${headerOf({ ...frame, searchIn, creations })}
        ${banners}
        ${above ?? null}
        <main id="main">
          <div class="notices" role="status">${notice !== null && html`<p class="notice">${notice}</p>`}</div>
  `
}

/** Read by `web/lib/words.ts`. It is data, which no policy has to allow. */
function wordsOfScripts(): Html | null {
  const words = sentencesOfScripts()
  return words && new Html(`<script type="application/json" id="words">${JSON.stringify(words).replaceAll('<', '\\u003c')}</script>`)
}

function endOf(frame: Frame): Html {
  return html`
        </main>
        ${footerOf(frame, frame.theme)}
        ${messageBar(appearanceOf(frame.app).footer, t`Notice below the page`)}
      </body>
    </html>
  `
}

/** An HTML document for programs, without our frame, scripts or styles. */
export function sendFixed(reply: FastifyReply, document: string): FastifyReply {
  void reply.headers({ 'content-security-policy': "default-src 'none'", 'cache-control': 'no-store', vary: 'cookie' })
  return reply.type('text/html; charset=utf-8').send(document)
}

/** Redirects by GET. URLs are encoded for the header. */
export function redirectTo(reply: FastifyReply, address: string, status: 301 | 302 | 303 = 303): FastifyReply {
  const written = isUrl(address) ? new URL(address).href : address
  return reply.header('cache-control', 'no-store').redirect(written, status)
}

export { ownAddress } from './addresses.ts'
