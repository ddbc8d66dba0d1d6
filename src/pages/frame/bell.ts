/** The notification setting of the viewer in a project or group, with a link to its form. */

import { placeAddress } from '../../addresses/places.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { getSetting } from '../../features/spaces/notification-settings/notification-settings.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import type { Place } from '../../http/declare/places.ts'
import { columnsOf } from '../../http/declare/places.ts'
import { levelNames } from './notification-words.ts'
import { icon } from './parts.ts'

/** The URL of the form. */
export function bellAddress(place: Pick<Place, 'kind' | 'row'>): string {
  return placeAddress(place, place.kind === 'project' ? '-/notifications' : 'notifications')
}

/** One statement; none for visitors. */
export async function bellOf(app: App, user: User | null, place: Place): Promise<Html | null> {
  if (user === null) return null
  const { level } = await getSetting(app.db, user, columnsOf(place))
  const words = t`Notifications: ${levelNames[level]}`
  return html`
    <a class="bell" href="${bellAddress(place)}" title="${words}">${icon('bell')}<span class="unseen">${words}</span></a>
  `
}
