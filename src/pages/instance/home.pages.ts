/** The root of the service, and help. */
import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { readSettings } from '../../features/instance/settings/settings.ts'
import { anyone } from '../../http/rules.ts'
import { dismissedCookie, dismissedKeys } from '../frame/banners.ts'
import { action, page } from '../frame/declaration.ts'
import { ownAddress } from '../frame/document.ts'
import { html } from '../frame/html.ts'
import { proseOf } from '../frame/texts.ts'
import { dashboard } from '../spaces/project-lists.ts'

export const homePages = [
  page('GET /', {
    access: anyone(),
    async show({ app, user }) {
      if (!user) return { redirect: (await homeOf(app)) ?? '/users/sign_in' }
      return user.dashboard === 'projects' ? dashboard(app, user) : { redirect: dashboardOf[user.dashboard] }
    },
  }),
  action('POST /-/broadcast_messages/dismiss', {
    access: anyone(),
    form: { gone: Type.String({ default: '' }), return_to: Type.Optional(Type.String()) },
    beforeTerms: true,
    act: ({ sent }) => ({ redirect: ownAddress(sent.return_to) ?? '/', cookies: { [dismissedCookie]: dismissedKeys(sent.gone) } }),
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

/** The list that a user prefers to see first. */
const dashboardOf = { starred: '/dashboard/projects/starred', groups: '/dashboard/groups', activity: '/dashboard/activity' }

/** Where anonymous visitors are redirected, unless they are there. */
async function homeOf({ db, config }: App): Promise<string | null> {
  const { home_page_url: home } = await readSettings(db)
  if (!home) return null
  const [there, here] = [new URL(home), new URL(config.url)]
  return there.origin === here.origin && there.pathname === '/' ? null : home
}
