/** Accounts that wait for approval have a state of their own: until now they were blocked, and never confirmed. */
import { type Migration, sql } from 'kysely'

export const accountStates: Migration = {
  async up(db) {
    await sql`
      update users set state = 'blocked_pending_approval'
      where state = 'blocked' and kind = 'human' and confirmed_at is null and current_sign_in_at is null`.execute(db)
  },
}
