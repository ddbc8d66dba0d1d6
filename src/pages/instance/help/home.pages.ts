/** The root of the service: one's own start page; for visitors the front page, or where the settings lead. */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import { readSettings } from '../../../features/instance/settings/settings.ts'
import { anyone } from '../../../http/declare/rules.ts'
import { ownAddress } from '../../frame/addresses.ts'
import { dismissedCookie, dismissedKeys } from '../../frame/banners.ts'
import { action, page } from '../../frame/declaration.ts'
import { homeOf } from '../../spaces/lists/dashboard.pages.ts'
import { welcomeView } from './welcome.ts'

export const homePages = [
  page('GET /', {
    access: anyone(),
    async show({ app, user }) {
      if (!user) {
        const redirect = await outsideHomeOf(app)
        return redirect === null ? welcomeView(app) : { redirect }
      }
      return user.dashboard === 'projects' ? homeOf(app, user) : { redirect: dashboardOf[user.dashboard] }
    },
  }),
  action('POST /-/broadcast_messages/dismiss', {
    access: anyone(),
    form: { gone: Type.String({ default: '' }), return_to: Type.Optional(Type.String()) },
    beforeTerms: true,
    act: ({ sent }) => ({ redirect: ownAddress(sent.return_to) ?? '/', cookies: { [dismissedCookie]: dismissedKeys(sent.gone) } }),
  }),
]

/** The URL of the list that the user chose as start page. */
const dashboardOf = { starred: '/dashboard/projects/starred', groups: '/dashboard/groups', activity: '/dashboard/activity' }

/** The URL that visitors are redirected to, unless it is this page. */
async function outsideHomeOf({ db, config }: App): Promise<string | null> {
  const { home_page_url: home } = await readSettings(db)
  if (!home) return null
  const [there, here] = [new URL(home), new URL(config.url)]
  return there.origin === here.origin && there.pathname === '/' ? null : home
}
