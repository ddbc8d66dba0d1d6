/** Joining and leaving a group. */
import { newcomers, removeRequest, requestAccess } from '../../../features/spaces/access-requests/access-requests.ts'
import { removeMember } from '../../../features/spaces/members/members.ts'
import { onProjectOrGroup } from '../../../http/places.ts'
import { group, only, people } from '../../../http/rules.ts'
import { action } from '../../frame/declaration.ts'
import { groupAddress } from './group-view.ts'
import { left, requested, withdrawn } from './sentences.ts'

export const membershipPages = [
  action('POST /groups/:group/-/request_access', {
    access: only(only(onProjectOrGroup('group', 'signed-in'), people), newcomers),
    async act({ app, place: { row }, user }) {
      await requestAccess(app, { namespace_id: row.id }, user)
      return { redirect: groupAddress(row.full_path), notice: requested }
    },
  }),
  action('POST /groups/:group/-/withdraw_request', {
    access: group('signed-in'),
    async act({ app, group, user }) {
      await removeRequest(app, { namespace_id: group.id }, user.id)
      return { redirect: groupAddress(group.full_path), notice: withdrawn }
    },
  }),
  action('POST /groups/:group/-/leave', {
    access: only(group('signed-in'), people),
    async act({ app, group, user }) {
      await removeMember(app, { namespace_id: group.id }, user.id)
      return { redirect: '/dashboard/groups', notice: left(group.name) }
    },
  }),
]
