/** Sharing groups with groups. */
import { Type } from 'typebox'
import { findGroup } from '../../../access/find.ts'
import { memberLevels } from '../../../access/levels.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { type GroupGranted, group } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Day, Id, none, nullable } from '../../../http/parameters/schema.ts'
import { getShare, removeShare, shareGroup } from '../group-shares/group-shares.ts'
import { presentDetails } from './groups.present.ts'
import { GroupDetails } from './groups.schema.ts'

const share = nested({ group_id: Id }, async ({ group }: GroupGranted, { group_id }, app) => ({
  share: await getShare(app, { namespace_id: group.id }, group_id),
}))

export const sharedGroups = [
  endpoint('POST /groups/:id/share', {
    summary: 'Share a group with another group',
    access: group('share_group'),
    body: {
      group_id: Id,
      group_access: Type.Integer({ enum: memberLevels }),
      expires_at: Type.Optional(nullable(Day)),
    },
    reply: GroupDetails,
    fails: ['conflict'],
    async handle({ app, user, group, body }) {
      const { group: other } = await findGroup(app.db, String(body.group_id), user)
      const { group_access: access_level, expires_at = null } = body
      await shareGroup(app, group, other, { access_level, expires_at })
      return presentDetails(app, group, user)
    },
  }),
  endpoint('DELETE /groups/:id/share/:group_id', {
    summary: 'Stop sharing a group with another group',
    access: within(group('share_group'), share),
    reply: none,
    lastChanged: ({ share }) => share.created_at,
    async handle({ app, group, share }) {
      await removeShare(app.db, { namespace_id: group.id }, share.group_id)
      return null
    },
  }),
]
