/** Which settings apply to users in a project or group: their own there, or that of the nearest group above, or the global one. */
import type { Db } from '../../../db/database.ts'
import type { NotificationSetting } from '../../../db/tables.ts'
import { readSetting, type Setting, settingThatHolds } from './levels.ts'

/** A project in its namespace, or a group, which has no project id. */
export interface PlaceBelow {
  project_id: number | null
  namespace_id: number
}

interface SettingNear extends Pick<NotificationSetting, 'user_id' | 'level' | 'switches'> {
  /** 0 for the project, 1 for its group, and so on; null for the global setting. */
  distance: number | null
}

/** The group of the place, and the groups above, each with its distance: 1 for the nearest. */
export async function groupsAbove(db: Db, { namespace_id }: PlaceBelow): Promise<ReadonlyMap<number, number>> {
  const above = await db
    .selectFrom('namespace_ancestors')
    .innerJoin('routes', 'routes.namespace_id', 'namespace_ancestors.ancestor_id')
    .select('namespace_ancestors.ancestor_id as id')
    .where('namespace_ancestors.namespace_id', '=', namespace_id)
    // The longest path is that of the group itself.
    .orderBy((eb) => eb.fn('length', ['routes.path']), 'desc')
    .execute()
  return new Map(above.map(({ id }, index) => [id, index + 1]))
}

/**
 * The setting that applies to each of these users in the place. One statement.
 * @param distances as returned by `groupsAbove`
 * @returns one for each user, even without a choice
 */
export async function settingsAt(
  db: Db,
  { project_id: id }: Pick<PlaceBelow, 'project_id'>,
  distances: ReadonlyMap<number, number>,
  userIds: readonly number[],
): Promise<(userId: number) => Setting> {
  const rows = await db
    .selectFrom('notification_settings')
    .select(['user_id', 'project_id', 'namespace_id', 'level', 'switches'])
    .where('user_id', 'in', userIds)
    .where((eb) =>
      eb.or([
        ...(id === null ? [] : [eb('project_id', '=', id)]),
        eb('namespace_id', 'in', [0, ...distances.keys()]),
        eb.and([eb('project_id', 'is', null), eb('namespace_id', 'is', null)]),
      ]),
    )
    .execute()
  const near = rows
    .map(({ user_id, level, switches, project_id, namespace_id: group }) => {
      const distance = project_id !== null ? 0 : group === null ? null : (distances.get(group) as number)
      return { user_id, level, switches, distance }
    })
    .sort((a, b) => (a.distance ?? Number.MAX_SAFE_INTEGER) - (b.distance ?? Number.MAX_SAFE_INTEGER))
  const settings = new Map<number, SettingNear[]>()
  for (const setting of near) {
    const own = settings.get(setting.user_id)
    if (own) own.push(setting)
    else settings.set(setting.user_id, [setting])
  }
  return (userId) => settingOf(settings.get(userId))
}

function settingOf(nearestFirst: SettingNear[] = []): Setting {
  const everywhere = nearestFirst.find(({ distance }) => distance === null)
  const near = nearestFirst.filter(({ distance }) => distance !== null)
  return settingThatHolds(near.map(readSetting), everywhere && readSetting(everywhere))
}
