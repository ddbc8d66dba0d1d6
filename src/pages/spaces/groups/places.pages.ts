/** Pages that groups share with projects: members, access tokens, and notification settings. */

import type { PlaceFrame } from '../../frame/places.ts'
import { type GroupTab, groupView } from '../../group/group-view.ts'
import { memberPages } from '../../members/members.pages.ts'
import { notificationPages } from '../../members/notifications.pages.ts'
import { resourceTokenPages } from '../../tokens/resource-tokens.pages.ts'

const framed =
  (tab: GroupTab | null): PlaceFrame =>
  ({ place, user }, view) =>
    place.kind === 'group' ? groupView({ group: place.row, level: place.level, user, tab }, view) : view

export const groupPlacePages = [
  ...memberPages('group', framed('members')),
  ...resourceTokenPages('group', framed('tokens')),
  ...notificationPages('group', framed(null)),
]
