/** Whether a user must set up a second factor first: the instance can require one, with a grace period in which it may be postponed. */
import type { Db } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import type { User } from '../../db/tables.ts'

/** A column for queries that load a user, as `termsInForce`: `true` as JSON where every user needs a second factor. */
export function secondFactorRequired(db: Db) {
  return db
    .selectFrom('settings')
    .select('settings.value')
    .where('settings.name', '=', 'require_two_factor_authentication')
    .as('requires_second_factor')
}

type Asked = Pick<User, 'id' | 'kind' | 'two_factor_enabled' | 'two_factor_asked_at'>

/**
 * Whether this user has to set up a second factor now, if the instance requires one. Records when the user was asked first: the grace period
 * begins then.
 */
export async function awaitsSecondFactor(db: Db, user: Asked, session: { skips_second_factor: boolean }): Promise<boolean> {
  if (user.two_factor_enabled || user.kind !== 'human') return false
  if (user.two_factor_asked_at === null) await noteAsked(db, user.id)
  return !session.skips_second_factor || (await secondFactorDue(db, user)) <= now()
}

/** The end of the grace period. */
export async function secondFactorDue(db: Db, { two_factor_asked_at }: Pick<User, 'two_factor_asked_at'>): Promise<string> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', 'two_factor_grace_period').executeTakeFirst()
  const grace_h = row ? (JSON.parse(row.value) as number) : usualGrace_h
  // A very long period exceeds the range of dates.
  const asked_ms = Date.parse(two_factor_asked_at ?? now())
  return new Date(Math.min(asked_ms + grace_h * 3_600_000, latest_ms)).toISOString()
}

/** The value as it is stored in the table of settings. */
const usualGrace_h = 48
const latest_ms = Date.parse('9999-12-31T00:00:00.000Z')

/** With a full disk this fails, and the grace period begins at a later request. */
async function noteAsked(db: Db, id: number): Promise<void> {
  await db
    .updateTable('users')
    .set({ two_factor_asked_at: now() })
    .where('id', '=', id)
    .where('two_factor_asked_at', 'is', null)
    .execute()
    .catch(() => {})
}
