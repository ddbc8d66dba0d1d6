/** A row of a group as JSON. */
import type { Static } from 'typebox'
import type { LocatedGroup } from '../../access/find.ts'
import type { App } from '../../app.ts'
import { webUrl } from '../../links.ts'
import { avatarUrl } from '../avatars/avatars.service.ts'
import { fullNamesOf } from '../namespaces/namespaces.service.ts'
import type { Group } from './groups.schema.ts'

/** One statement for the names of all that stands above the groups. */
export async function presentGroups(app: App, groups: LocatedGroup[]): Promise<Array<Static<typeof Group>>> {
  const names = await fullNamesOf(
    app.db,
    groups.map(({ id }) => id),
  )
  return groups.map(
    ({ id, name, path, description, visibility, lfs_enabled, request_access_enabled, full_path, parent_id, avatar_name }) => ({
      id,
      web_url: webUrl(app.config, `groups/${full_path}`),
      name,
      path,
      description,
      visibility,
      lfs_enabled,
      avatar_url: avatarUrl(app.config, 'group', { id, avatar_name }),
      request_access_enabled,
      full_name: names.get(id) ?? name,
      full_path,
      parent_id,
    }),
  )
}
