/** Whether a user must set up a second factor first: the instance and groups can require one, with a time in which it may be put off. */
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { now, today } from '../../db/instants.ts'
import type { User } from '../../db/tables.ts'

/** A column for queries that load a user, as `termsInForce`: `true` as JSON where every user needs a second factor. */
export function secondFactorRequired(db: Db) {
  return db
    .selectFrom('settings')
    .select('settings.value')
    .where('settings.name', '=', 'require_two_factor_authentication')
    .as('requires_second_factor')
}

/** Another such column: the id of some group that requires a second factor of its members; null without one. */
export function groupRequiringSecondFactor(db: Db) {
  return db.selectFrom('namespaces').select('namespaces.id').where(requires).limit(1).as('group_requiring')
}

/** In the words of the index of these groups. */
const requires = sql<boolean>`require_two_factor_authentication`

type Asked = Pick<User, 'id' | 'kind' | 'two_factor_enabled' | 'two_factor_asked_at'>

interface Requiring {
  requires_second_factor: string | null
  group_requiring: number | null
}

/** Whether it is worth asking who demands a second factor of a user. */
export function mayRequireSecondFactor({ requires_second_factor, group_requiring }: Requiring): boolean {
  return requires_second_factor === 'true' || group_requiring !== null
}

export interface SecondFactorDemand {
  byInstance: boolean
  /** Paths of groups of the user that demand it, some of them if there are many. */
  groups: string[]
  /** The end of the time in which it may be put off. */
  due: string
}

/**
 * The demand on a user without a second factor to set one up; null if neither instance nor group demands it. The shortest grace period
 * counts.
 */
export async function secondFactorDemand(db: Db, user: Pick<User, 'id' | 'two_factor_asked_at'>): Promise<SecondFactorDemand | null> {
  const instance_h = await graceOfInstance(db)
  const groups = await groupsDemanding(db, user.id)
  const graces_h = [...(instance_h === null ? [] : [instance_h]), ...groups.map(({ two_factor_grace_period }) => two_factor_grace_period)]
  if (graces_h.length === 0) return null
  // A very long period exceeds the range of dates.
  const asked_ms = Date.parse(user.two_factor_asked_at ?? now())
  const due = new Date(Math.min(asked_ms + Math.min(...graces_h) * 3_600_000, latest_ms)).toISOString()
  return { byInstance: instance_h !== null, groups: groups.map(({ path }) => path), due }
}

/**
 * Whether this user has to set up a second factor now, if somebody requires one. Records when the user was asked first: the time to set it
 * up begins then.
 */
export async function awaitsSecondFactor(db: Db, user: Asked, session: { skips_second_factor: boolean }): Promise<boolean> {
  if (user.two_factor_enabled || user.kind !== 'human') return false
  const demand = await secondFactorDemand(db, user)
  if (demand === null) return false
  if (user.two_factor_asked_at === null) await noteAsked(db, user.id)
  return !session.skips_second_factor || demand.due <= now()
}

/** The hours that the instance gives; null if it doesn't require a second factor. */
async function graceOfInstance(db: Db): Promise<number | null> {
  const names = ['require_two_factor_authentication', 'two_factor_grace_period']
  const rows = await db.selectFrom('settings').selectAll().where('name', 'in', names).execute()
  const values = new Map(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown]))
  return values.get('require_two_factor_authentication') === true ? Number(values.get('two_factor_grace_period') ?? usualGrace_h) : null
}

/** The group that gives the least time is the first. Members of a group are members of those below, and its setting counts for these. */
function groupsDemanding(db: Db, userId: number) {
  const memberships = db
    .selectFrom('members')
    .where('members.user_id', '=', userId)
    .where((eb) => eb.or([eb('members.expires_at', 'is', null), eb('members.expires_at', '>', today())]))
  const joined = memberships
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'members.namespace_id')
    .select('namespace_ancestors.ancestor_id as id')
    .union(
      memberships
        .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'members.namespace_id')
        .select('namespace_ancestors.namespace_id as id'),
    )
  return db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(['routes.path', 'namespaces.two_factor_grace_period'])
    .where(requires)
    .where('namespaces.id', 'in', joined)
    .orderBy('namespaces.two_factor_grace_period')
    .orderBy('routes.path_key')
    .limit(maxNamed)
    .execute()
}

const maxNamed = 5
/** The value as it is stored in the table of settings. */
const usualGrace_h = 48
const latest_ms = Date.parse('9999-12-31T00:00:00.000Z')

/** With a full disk this fails, and the time begins at a later request. */
async function noteAsked(db: Db, id: number): Promise<void> {
  await db
    .updateTable('users')
    .set({ two_factor_asked_at: now() })
    .where('id', '=', id)
    .where('two_factor_asked_at', 'is', null)
    .execute()
    .catch(() => {})
}
