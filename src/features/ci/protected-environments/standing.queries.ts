/** SQL for whom rules of protected environments name: their levels, and the groups that they are in. */
import { findProject, levelInGroup } from '../../../access/find.ts'
import { notExpired } from '../../../access/members.ts'
import { levelsInProject } from '../../../access/readers.ts'
import { mayAct } from '../../../access/states.ts'
import { everything } from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { Protection, ProtectionPlace } from './protected-environments.queries.ts'

/** A user who may act, with everything that rules of protected environments ask about them. */
export interface Standing {
  id: number
  admin: boolean
  level: number
  /** Levels in the groups that protect the environment. */
  groupLevels: Map<number, number>
  /** Ids of groups: as direct members, and with those above. */
  direct: Set<number>
  inherited: Set<number>
}

export type PlacedProject = { id: number; namespace_id: number; namespace_owner_id: number | null }

/** Blocked users are left out. Three statements, and one for each user and group that protects something for a role. */
export async function standingOf(
  db: Db,
  project: PlacedProject,
  user_ids: readonly number[],
  protections: readonly Protection[],
): Promise<Map<number, Standing>> {
  const rules = protections.flatMap((protection) => protection.rules)
  const group_ids = [...new Set(rules.flatMap(({ group_id }) => group_id ?? []))]
  const above = [...new Set(rules.flatMap(({ access_level, of_group_id }) => (access_level === null ? [] : (of_group_id ?? []))))]
  const all = await db
    .selectFrom('users')
    .select(['id', 'admin', 'external', 'state'])
    .where(among(db, 'id', user_ids))
    .execute()
  const users = all.filter(mayAct)
  const levels = await levelsInProject(db, project, users)
  const memberships = group_ids.length === 0 ? [] : await membershipsIn(db, user_ids, group_ids)
  const standing = new Map<number, Standing>()
  for (const user of users) {
    const { id, admin } = user
    const own = memberships.filter(({ user_id }) => user_id === id)
    const groupLevels = new Map<number, number>()
    for (const group_id of above) groupLevels.set(group_id, await levelInGroup(db, group_id, user))
    standing.set(id, {
      id,
      admin,
      level: levels.get(id) ?? 0,
      groupLevels,
      direct: new Set(own.flatMap(({ group_id, namespace_id }) => (group_id === namespace_id ? group_id : []))),
      inherited: new Set(own.map(({ group_id }) => group_id)),
    })
  }
  return standing
}

/** Filters users to members: of the project, or of the group or one above. At most three statements. */
export async function membersAmong(db: Db, place: ProtectionPlace, user_ids: readonly number[]): Promise<Set<number>> {
  if (user_ids.length === 0) return new Set()
  if ('group_id' in place) return new Set((await membershipsIn(db, user_ids, [place.group_id])).map(({ user_id }) => user_id))
  const users = db.selectFrom('users').select(['id', 'admin', 'external'])
  const { project } = await findProject(db, String(place.project_id), everything)
  const levels = await levelsInProject(db, project, await users.where(among(db, 'id', user_ids)).execute())
  return new Set(levels.keys())
}

function membershipsIn(db: Db, user_ids: readonly number[], group_ids: readonly number[]) {
  return db
    .selectFrom('namespace_ancestors')
    .innerJoin('members', 'members.namespace_id', 'namespace_ancestors.ancestor_id')
    .select(['namespace_ancestors.namespace_id as group_id', 'members.namespace_id', 'members.user_id'])
    .where(among(db, 'namespace_ancestors.namespace_id', group_ids))
    .where(among(db, 'members.user_id', user_ids))
    .where(notExpired())
    .execute()
}
