/** Notification settings of the user in a project or group, declared once. */

import type { User } from '../../db/tables.ts'
import { changeSetting, getSetting } from '../../features/spaces/notification-settings/notification-settings.ts'
import { html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { columnsOf, onProjectOrGroup, type Place, type PlaceKind } from '../../http/declare/places.ts'
import { bellAddress } from '../frame/bell.ts'
import { action, type Page, page, type Typed, type View, type Visit } from '../frame/declaration.ts'
import { type Choice, form, problemsOf, untouched } from '../frame/forms.ts'
import { levelField, notificationFields, switchesField } from '../frame/notification-fields.ts'
import { levelChoices, levelNames } from '../frame/notification-words.ts'
import type { PlaceFrame } from '../frame/places.ts'
import * as say from './sentences.ts'

type Seen = Visit & { place: Place; user: User }

const choices = (): Choice[] => [['global', levelNames.global], ...levelChoices()]

export function notificationPages(kind: PlaceKind, frame: PlaceFrame): Page[] {
  const base = kind === 'project' ? '/:project/-/notifications' : '/groups/:group/-/notifications'
  const access = onProjectOrGroup(kind, 'signed-in')
  return [
    page(`GET ${base}`, { access, show: async (seen) => frame(seen, await notificationsView(seen, untouched)) }),
    action(`POST ${base}`, {
      access,
      form: notificationFields,
      async act({ app, user, place, sent }) {
        await changeSetting(app, user, columnsOf(place), sent)
        return { redirect: bellAddress(place), notice: say.notificationsSaved() }
      },
      again: async (seen, typed) => frame(seen, await notificationsView(seen, typed)),
    }),
  ]
}

async function notificationsView({ app, user, place, token }: Seen, typed: Typed): Promise<Omit<View, 'above'>> {
  const setting = await getSetting(app.db, user, columnsOf(place))
  return {
    title: t`Notifications`,
    main: html`
      <div class="settings">
        <h1>Notifications</h1>
        <p>${app.mailer === null ? say.noMail() : say.notificationsHere(place.kind)}</p>
        ${problemsOf(typed.errors, ['level'])}
        ${form(
          { action: bellAddress(place), token, submit: t`Save notifications` },
          html`${levelField(typed, choices(), setting)}${switchesField(typed, setting)}`,
        )}
        <p><a href="/profile/notifications">Your notifications everywhere</a></p>
      </div>
    `,
  }
}
