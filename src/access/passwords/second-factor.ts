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
 * Where the instance requires a second factor: whether this user has to set one up now. Notes when they were asked first, with which
 * the time begins in which they may put it off.
 */
export async function awaitsSecondFactor(db: Db, user: Asked, session: { skips_second_factor: boolean }): Promise<boolean> {
  if (user.two_factor_enabled || user.kind !== 'human') return false
  if (user.two_factor_asked_at === null) await noteAsked(db, user.id)
  return !session.skips_second_factor || (await secondFactorDue(db, user)) <= now()
}

/** Until when a second factor may be put off. */
export async function secondFactorDue(db: Db, { two_factor_asked_at }: Pick<User, 'two_factor_asked_at'>): Promise<string> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', 'two_factor_grace_period').executeTakeFirst()
  const grace_h = row ? (JSON.parse(row.value) as number) : usualGrace_h
  // A period without an end in sight is no date.
  const asked_ms = Date.parse(two_factor_asked_at ?? now())
  return new Date(Math.min(asked_ms + grace_h * 3_600_000, latest_ms)).toISOString()
}

/** As the table of settings has it. */
const usualGrace_h = 48
const latest_ms = Date.parse('9999-12-31T00:00:00.000Z')

/** With a full disk the time begins later. */
async function noteAsked(db: Db, id: number): Promise<void> {
  await db
    .updateTable('users')
    .set({ two_factor_asked_at: now() })
    .where('id', '=', id)
    .where('two_factor_asked_at', 'is', null)
    .execute()
    .catch(() => {})
}
