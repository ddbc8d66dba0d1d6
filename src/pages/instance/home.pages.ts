/** The root of the service, and help. */
import type { App } from '../../app.ts'
import { readSettings } from '../../features/instance/settings/settings.ts'
import { anyone } from '../../http/rules.ts'
import { page } from '../frame/declaration.ts'
import { html } from '../frame/html.ts'
import { proseOf } from '../frame/texts.ts'
import { ownProjects, wholeList } from '../spaces/lists/dashboard.pages.ts'

export const homePages = [
  page('GET /', {
    access: anyone(),
    show: async ({ app, user }) => (user ? ownProjects(app, user, wholeList) : { redirect: (await homeOf(app)) ?? '/users/sign_in' }),
  }),
  page('GET /help', {
    access: anyone(),
    beforeTerms: true,
    async show({ app }) {
      const { help_page_text, help_page_support_url: support } = await readSettings(app.db)
      const more = support ? html`<p><a href="${support}">Get help</a></p>` : html`<p>Ask your administrator for help.</p>`
      const main = html`<div class="narrow"><h1>Help</h1>${await proseOf(help_page_text)}${more}<p><a href="/api/docs">API documentation</a></p></div>`
      return { title: 'Help', main }
    },
  }),
]

/** Where anonymous visitors are redirected, unless they are there. */
async function homeOf({ db, config }: App): Promise<string | null> {
  const { home_page_url: home } = await readSettings(db)
  if (!home) return null
  const [there, here] = [new URL(home), new URL(config.url)]
  return there.origin === here.origin && there.pathname === '/' ? null : home
}
