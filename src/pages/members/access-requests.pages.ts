/** Access requests to projects and groups: create, withdraw, approve and deny. */
import { Type } from 'typebox'
import { accessLevels } from '../../access/levels.ts'
import { membersAddress } from '../../addresses/places.ts'
import {
  approveAccessRequest,
  newcomers,
  removeAccessRequest,
  requestAccess,
  requesterInPath,
} from '../../features/spaces/access-requests/access-requests.ts'
import { columnsOf, managers, managing, onProjectOrGroup, type Place, type PlaceKind } from '../../http/declare/places.ts'
import { only, people, self } from '../../http/declare/rules.ts'
import { within } from '../../http/declare/within.ts'
import { action, type Page, type Typed, type View } from '../frame/declaration.ts'
import type { Seen } from './members.view.ts'
import * as say from './sentences.ts'

export function accessRequestPages(kind: PlaceKind, again: (seen: Seen, typed: Typed) => Promise<View>): Page[] {
  const base = kind === 'project' ? '/:project/project_members' : '/groups/:group/-/group_members'
  return [
    action(`POST ${base}/request_access`, {
      access: only(only(onProjectOrGroup(kind, 'signed-in'), people), newcomers),
      async act({ app, place, user }) {
        await requestAccess(app, columnsOf(place), user)
        return { redirect: homeOf(place), notice: say.requested() }
      },
    }),
    action(`POST ${base}/requests/:user_id/approve`, {
      access: within(onProjectOrGroup(kind, managers), requesterInPath),
      form: { access_level: Type.Integer({ default: accessLevels.developer }) },
      async act({ app, place, requester, sent }) {
        await approveAccessRequest(app, columnsOf(place), requester, sent.access_level)
        return { redirect: membersAddress(place), notice: say.added(requester.name, place.row.name) }
      },
      again,
    }),
    action(`POST ${base}/requests/:user_id/deny`, {
      access: within(only(onProjectOrGroup(kind, 'signed-in'), managing, self('user_id')), requesterInPath),
      async act({ app, place, user, requester }) {
        await removeAccessRequest(app, columnsOf(place), requester.id, user)
        const isOwn = requester.id === user.id
        return isOwn
          ? { redirect: homeOf(place), notice: say.withdrawn() }
          : { redirect: membersAddress(place), notice: say.denied(requester.name) }
      },
    }),
  ]
}

const homeOf = ({ kind, row }: Place): string => (kind === 'project' ? `/${row.full_path}` : `/groups/${row.full_path}`)
