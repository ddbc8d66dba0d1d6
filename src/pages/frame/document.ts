/** The HTML document around every page, its headers, and redirects. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { User } from '../../db/tables.ts'
import { targetOf } from '../../http/target.ts'
import { asset } from './assets.ts'
import { encodingFor, packed } from './compress.ts'
import type { View } from './declaration.ts'
import { Html, html } from './html.ts'
import { startParts, streamOf } from './stream.ts'

/** Who sees a page, and where. */
export interface Frame {
  user: User | null
  /** Null where no form can be sent, as on pages of errors. */
  token: Html | null
  /** Path and query of the page. */
  address: string
  /** Whether browsers reach the service by https. */
  isSecure: boolean
  /** What an action has done that led here. */
  notice?: string | null
}

/** Sends a page: never cached, never framed, with our own scripts and styles only; compressed, and in parts where it has parts. */
export async function sendView(reply: FastifyReply, view: View, frame: Frame): Promise<FastifyReply> {
  const { leads_to = null, status = 200, main } = view
  const parts = main instanceof Html ? null : await startParts(main)
  const elsewhere = leads_to !== null && URL.canParse(leads_to) ? ` ${new URL(leads_to).origin}` : ''
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' https: data:",
    `form-action 'self'${elsewhere}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  void reply.headers({
    'content-security-policy': policy.join('; '),
    // With `no-referrer`, browsers send our own forms with `Origin: null`, as if they came from another site.
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
    vary: 'cookie, accept-encoding, sec-fetch-site',
  })
  void reply.code(status).type('text/html; charset=utf-8')
  const encoding = encodingFor(reply.request, { isSignedIn: frame.user !== null, isSecure: frame.isSecure })
  const around = { before: beginningOf(view, frame).text, after: end.text }
  if (parts) {
    if (encoding) void reply.header('content-encoding', encoding)
    return reply.send(streamOf(reply.request, parts, around, encoding))
  }
  const text = around.before + (main as Html).text + around.after
  const bytes = await packed(text, encoding)
  if (bytes) void reply.header('content-encoding', encoding)
  return reply.send(bytes ?? text)
}

function beginningOf({ title, above, head, scripts = [] }: View, { user, token, address, notice = null }: Frame): Html {
  return html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title === 'Gitstead' ? title : `${title} · Gitstead`}</title>
<link rel="stylesheet" href="${asset('style.css')}"><link rel="icon" href="${asset('mark.svg')}" type="image/svg+xml">
<script type="module" src="${asset('main.js')}"></script>${scripts.map((name) => html`<script type="module" src="${asset(name)}"></script>`)}${head ?? null}</head>
<body><a class="skip" href="#main">Skip to content</a>
<header class="bar"><a class="brand" href="/"><svg aria-hidden="true" width="20" height="20"><use href="${asset('icons.svg')}#mark"></use></svg>Gitstead</a>
<nav aria-label="Service"><a href="/explore/projects">Projects</a><a href="/explore/groups">Groups</a></nav>
${user ? menuOf(user, token) : html`<a class="end" href="${signInFrom(address)}">Sign in</a>`}</header>
${above ?? null}<main id="main">${notice !== null && html`<p class="notice" role="status">${notice}</p>`}`
}

const end = html`</main>
<footer><a href="/help">Help</a><a href="/api/docs">API</a></footer></body></html>
`

function menuOf({ username, name }: User, token: Html | null): Html {
  return html`<details class="menu end"><summary>${name}</summary><ul>
<li><a href="/${username}">Profile</a></li><li><a href="/dashboard/projects">Your projects</a></li>
<li><a href="/users/password">Change password</a></li>
${token && html`<li><form method="post" action="/users/sign_out">${token}<button>Sign out</button></form></li>`}</ul></details>`
}

/** Redirects by GET. Addresses are encoded for the header. */
export function redirectTo(reply: FastifyReply, address: string, status: 301 | 302 | 303 = 303): FastifyReply {
  const written = URL.canParse(address) ? new URL(address).href : address
  return reply.header('cache-control', 'no-store').redirect(written, status)
}

/** The page to sign in at, which leads back to the page of this request. */
export function signInAddress(request: FastifyRequest): string {
  return signInFrom(request.method === 'GET' ? request.url : targetOf(request).path)
}

function signInFrom(address: string): string {
  return address === '/' || address.startsWith('/users/') ? '/users/sign_in' : `/users/sign_in?return_to=${encodeURIComponent(address)}`
}

/** A page of this service that a sign-in leads back to; null for anything else. */
export function ownAddress(sent: string | undefined): string | null {
  // A second slash or a backslash would begin the name of another host, and browsers drop control characters.
  if (sent === undefined || !/^\/(?![/\\])[\x21-\x7e]*$/.test(sent) || sent.includes('\\')) return null
  return sent
}
