/** The root of the service: one's own projects, or for visitors where the settings lead. */
import type { App } from '../../../app.ts'
import { readSettings } from '../../../features/instance/settings/settings.ts'
import { anyone } from '../../../http/rules.ts'
import { page } from '../../frame/declaration.ts'
import { homeOf } from '../../spaces/lists/dashboard.pages.ts'

export const homePages = [
  page('GET /', {
    access: anyone(),
    show: async ({ app, user }) => (user ? homeOf(app, user) : { redirect: (await outsideHomeOf(app)) ?? '/users/sign_in' }),
  }),
]

/** Where anonymous visitors are redirected, unless they are there. */
async function outsideHomeOf({ db, config }: App): Promise<string | null> {
  const { home_page_url: home } = await readSettings(db)
  if (!home) return null
  const [there, here] = [new URL(home), new URL(config.url)]
  return there.origin === here.origin && there.pathname === '/' ? null : home
}
