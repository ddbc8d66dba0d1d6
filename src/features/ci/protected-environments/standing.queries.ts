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

/** Limit of people whom one rule names. */
const maxNamed = 200

/**
 * Users whom rules may name: themselves, as members of groups, or by a role. Whether they fit is decided by their standing. One statement for
 * each rule that names a role or a group.
 */
export async function candidatesOf(db: Db, project: PlacedProject, rules: ReadonlyArray<Protection['rules'][number]>): Promise<number[]> {
  const found = new Set(rules.flatMap(({ user_id }) => user_id ?? []))
  for (const { access_level, group_id, group_inheritance_type, of_group_id } of rules) {
    if (access_level === null && group_id === null) continue
    const place = group_id ?? of_group_id ?? project.namespace_id
    const isDirect = group_id !== null && group_inheritance_type !== 1
    const above = db.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_ancestors.namespace_id', '=', place)
    const rows = await db
      .selectFrom('members')
      .select('user_id')
      .distinct()
      .where((eb) =>
        eb.or([
          isDirect ? eb('members.namespace_id', '=', place) : eb('members.namespace_id', 'in', above),
          ...(access_level !== null && of_group_id === null ? [eb('members.project_id', '=', project.id)] : []),
        ]),
      )
      .where('members.access_level', '>=', access_level ?? 0)
      .where(notExpired())
      .orderBy('user_id')
      .limit(maxNamed)
      .execute()
    for (const { user_id } of rows) found.add(user_id)
  }
  return [...found]
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
