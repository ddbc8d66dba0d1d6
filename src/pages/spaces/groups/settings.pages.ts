/** Edits, renames, moves and deletes a group. */
import { Type } from 'typebox'
import { findGroup, type LocatedGroup } from '../../../access/find.ts'
import { visibilities } from '../../../access/levels.ts'
import { groupAddress } from '../../../addresses/places.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { invalid, nullIfMissing } from '../../../failure.ts'
import { archiveGroup, changeGroup, transferGroup, unarchiveGroup } from '../../../features/spaces/groups/groups.ts'
import { deleteGroup, restoreGroup } from '../../../features/spaces/scheduled-deletions/scheduled-deletions.ts'
import { changeLimits } from '../../../features/storage/quotas/quotas.ts'
import { administrators, group, only } from '../../../http/declare/rules.ts'
import { File, oneOf } from '../../../http/parameters/schema.ts'
import { action, page } from '../../frame/declaration.ts'
import { limitFields, limitsIn } from '../../frame/storage.ts'
import {
  archivedNow,
  avatarRemoved,
  deleted,
  deletedOn,
  noSuchParent,
  renamed,
  restored,
  saved,
  transferred,
  unarchivedNow,
  wrongName,
} from './sentences.ts'
import { groupLimits, settingsView } from './settings.ts'

const text = Type.String({ default: '' })

export const groupSettingsPages = [
  page('GET /groups/:group/-/edit', { access: group('edit_group'), show: (context) => settingsView(context) }),
  action('POST /groups/:group/-/edit', {
    access: group('edit_group'),
    form: {
      name: Type.Optional(Type.String()),
      description: Type.Optional(Type.String()),
      visibility: Type.Optional(oneOf(...visibilities)),
      request_access_enabled: Type.Optional(Type.Boolean()),
      lfs_enabled: Type.Optional(Type.Boolean()),
      require_two_factor_authentication: Type.Optional(Type.Boolean()),
      two_factor_grace_period: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
      avatar: Type.Optional(File),
    },
    async act({ app, user, group, sent }) {
      await changeGroup(app, group, sent, user)
      return { redirect: groupAddress(group.full_path, 'edit'), notice: saved() }
    },
    again: (context, typed) => settingsView(context, { general: typed }),
  }),
  action('POST /groups/:group/-/remove_avatar', {
    access: group('edit_group'),
    async act({ app, user, group }) {
      await changeGroup(app, group, { avatar: null }, user)
      return { redirect: groupAddress(group.full_path, 'edit'), notice: avatarRemoved() }
    },
  }),
  action('POST /groups/:group/-/limits', {
    access: only(group('edit_group'), administrators),
    form: limitFields,
    async act({ app, group, sent }) {
      await changeLimits(app, { namespace_id: group.id }, limitsIn(sent, groupLimits))
      return { redirect: groupAddress(group.full_path, 'edit'), notice: saved() }
    },
    again: (context, typed) => settingsView(context, { limits: typed }),
  }),
  action('POST /groups/:group/-/path', {
    access: group('edit_group'),
    form: { path: text },
    async act({ app, user, group, sent: { path } }) {
      const { full_path } = await changeGroup(app, group, { path }, user)
      return { redirect: groupAddress(full_path, 'edit'), notice: renamed(full_path) }
    },
    again: (context, typed) => settingsView(context, { path: typed }),
  }),
  action('POST /groups/:group/-/transfer', {
    access: group('edit_group'),
    form: { parent: text },
    async act({ app, user, group, sent: { parent } }) {
      const { full_path } = await transferGroup(app, group, await parentAt(app, user, parent.trim()), user)
      return { redirect: groupAddress(full_path, 'edit'), notice: transferred(full_path) }
    },
    again: (context, typed) => settingsView(context, { transfer: typed }),
  }),
  action('POST /groups/:group/-/archive', {
    access: group('archive_group'),
    async act({ app, group }) {
      await archiveGroup(app, group.id)
      return { redirect: groupAddress(group.full_path), notice: archivedNow(group.name) }
    },
  }),
  action('POST /groups/:group/-/unarchive', {
    access: group('archive_group'),
    async act({ app, group }) {
      await unarchiveGroup(app, group.id)
      return { redirect: groupAddress(group.full_path), notice: unarchivedNow(group.name) }
    },
  }),
  action('POST /groups/:group/-/restore', {
    access: group('delete_group'),
    async act({ app, group }) {
      await restoreGroup(app, group.id)
      return { redirect: groupAddress(group.full_path), notice: restored(group.name) }
    },
  }),
  action('POST /groups/:group/-/delete', {
    access: group('delete_group'),
    form: { confirm: text },
    async act({ app, group, sent: { confirm } }) {
      if (confirm !== group.full_path) throw invalid({ confirm: [wrongName(group.full_path)] })
      const { full_path, marked_for_deletion_at } = group
      const { due_at } = await deleteGroup(app, group, { permanently_remove: marked_for_deletion_at !== null, full_path })
      if (due_at !== null) return { redirect: groupAddress(full_path), notice: deletedOn(group.name, due_at.slice(0, 10)) }
      return { redirect: '/dashboard/groups', notice: deleted(group.name) }
    },
    again: (context, typed) => settingsView(context, { delete: typed }),
  }),
]

/** The group with this path; null for the top level. Only paths: a number would be an id. Throws 400 if the user can't see it. */
async function parentAt(app: App, user: User, path: string): Promise<LocatedGroup | null> {
  if (path === '') return null
  const found = await findGroup(app.db, path, user).catch(nullIfMissing)
  if (found?.group.full_path.toLowerCase() !== path.toLowerCase()) throw invalid({ parent: [noSuchParent()] })
  return found.group
}
