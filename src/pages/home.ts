/** The home page, and help. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { passwordHasExpired } from '../access/users.ts'
import type { App } from '../app.ts'
import type { User } from '../db/tables.ts'
import { readSettings } from '../features/instance/settings/settings.ts'
import { type Html, html } from './html.ts'
import { redirectTo, sendPage } from './page.ts'
import { openPageSession } from './page-session.ts'
import { proseOf } from './texts.ts'

export function homePages(scope: FastifyInstance, app: App): void {
  scope.get('/', async (request, reply) => {
    const { session, token } = await openPageSession(app, request, reply)
    if (!session) return redirectTo(reply, (await homeOf(app)) ?? '/users/sign_in')
    if (passwordHasExpired(session.user)) return redirectTo(reply, '/users/password')
    return session.awaits_terms ? redirectTo(reply, '/-/terms') : showHome(app, reply, session.user, token)
  })
  scope.get('/help', async (_, reply) => {
    const { help_page_text, help_page_support_url: support } = await readSettings(app.db)
    const more = support ? html`<p><a href="${support}">Get help</a></p>` : html`<p>Ask your administrator for help.</p>`
    const body = html`${await proseOf(help_page_text)}${more}<p><a href="/api/docs">API documentation</a></p>`
    return sendPage(reply, { title: 'Help', body })
  })
}

/** Where anonymous visitors are redirected, unless they are there. */
async function homeOf({ db, config }: App): Promise<string | null> {
  const { home_page_url: home } = await readSettings(db)
  if (!home) return null
  const [there, here] = [new URL(home), new URL(config.url)]
  return there.origin === here.origin && there.pathname === '/' ? null : home
}

async function showHome(app: App, reply: FastifyReply, { username }: User, token: Html): Promise<FastifyReply> {
  const body = html`<p>You are signed in as ${username}.</p>
<ul><li><a href="/users/password">Change password</a></li><li><a href="/help">Help</a></li><li><a href="/api/docs">API documentation</a></li></ul>
<form method="post" action="/users/sign_out">${token}<button>Sign out</button></form>`
  return sendPage(reply, { title: 'Gitstead', body, leadsTo: (await readSettings(app.db)).after_sign_out_path })
}
