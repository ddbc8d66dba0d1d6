/** The user's notification settings: the global one, and those of projects and groups. */

import { Type } from 'typebox'
import { allEmails } from '../../../features/people/users/users.ts'
import {
  changeGlobalSetting,
  chosenPlaces,
  forgetSetting,
  getSetting,
  notificationEmail,
  setOwnActivity,
} from '../../../features/spaces/notification-settings/notification-settings.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { type Choice, checkbox, form, postButton, problemsOf, select, untouched } from '../../frame/forms.ts'
import { levelField, notificationFields, switchesField } from '../../frame/notification-fields.ts'
import { levelChoices, levelNames } from '../../frame/notification-words.ts'
import { isolated } from '../../frame/parts.ts'
import { sentences } from './sentences.ts'
import { type OwnVisit, settingsView } from './settings-view.ts'

export const notificationPages = [
  page('GET /profile/notifications', { access: signedIn(), show: (visit) => notificationsView(visit, untouched) }),
  action('POST /profile/notifications', {
    access: signedIn(),
    form: {
      notification_email: Type.String(),
      own_activity: Type.Boolean({ default: false }),
      ...notificationFields,
    },
    async act({ app, user, sent: { own_activity, ...sent } }) {
      await changeGlobalSetting(app, user, sent)
      await setOwnActivity(app, user, own_activity)
      return { redirect: '/profile/notifications', notice: sentences.notificationsSaved }
    },
    again: notificationsView,
  }),
  action('POST /profile/notifications/forget', {
    access: signedIn(),
    form: { setting_id: Id },
    async act({ app, user, sent: { setting_id } }) {
      await forgetSetting(app.db, user, setting_id)
      return { redirect: '/profile/notifications', notice: sentences.notificationsSaved }
    },
  }),
]

const maxListed = 200

async function notificationsView({ app, user, token }: OwnVisit, typed: Typed): Promise<View> {
  const setting = await getSetting(app.db, user, 'everywhere')
  const emails = (await allEmails(app.db, user.id, maxListed)).filter(({ confirmed_at }) => confirmed_at !== null)
  const addresses: Choice[] = emails.map(({ email }) => [email, email])
  const own = notificationEmail(user)
  const places = await chosenPlaces(app.db, user, maxListed)
  return settingsView('notifications', {
    title: t`Notifications`,
    main: html`
      <h1>Notifications</h1>
      <p>
        ${app.mailer === null ? sentences.noMail : sentences.notificationsAre}
        ${app.mailer !== null && app.config.replies !== null && sentences.repliesAre}
      </p>
      ${problemsOf(typed.errors, ['level', 'notification_email'])}
      ${form(
        { action: '/profile/notifications', token, submit: t`Save notifications` },
        html`
          ${levelField(typed, levelChoices(), setting.level === 'global' ? { level: 'participating' } : setting)}
          ${select(t`Address`, 'notification_email', typed, addresses.length === 0 ? [[own, own]] : addresses, { value: own })}
          ${checkbox(t`Also about what I do myself`, 'own_activity', typed, { value: `${user.notified_of_own_activity}` })}
          ${switchesField(typed, setting)}
        `,
      )}
      ${
        places.length > 0 &&
        html`
          <h2>Projects and groups</h2>
          <p>${sentences.notificationPlaces}</p>
          <ul class="rows">${places.map((place) => rowOf(place, token))}</ul>
        `
      }
    `,
  })
}

function rowOf({ id, path, level }: Awaited<ReturnType<typeof chosenPlaces>>[number], token: Html): Html {
  return html`
    <li>
      <div class="what"><a href="/${path}">${isolated(path)}</a> <span class="tag">${levelNames[level]}</span></div>
      <div class="facts">
        ${postButton(t`Use the level above`, { action: '/profile/notifications/forget', token, fields: { setting_id: String(id) } })}
      </div>
    </li>
  `
}
