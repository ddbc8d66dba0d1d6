/** Which state of an account lets its user act, and what the others are told. */
import { type SqlBool, sql } from 'kysely'
import type { User, UserState } from '../db/tables.ts'

const acting = 'active' satisfies UserState

/** The one rule for who may act, by whatever credential: sign in, call the API, use git, run jobs. */
export function mayAct({ state }: { state: UserState | null }): boolean {
  return state === acting
}

/** `mayAct` as a condition for queries that read `users`. */
export function usersWhoMayAct() {
  return sql<SqlBool>`${sql.ref('users.state')} = ${acting}`
}

const whyNot: Record<Exclude<UserState, typeof acting>, string> = {
  blocked: 'Your account has been blocked.',
  banned: 'Your account has been banned.',
  deactivated: 'Your account has been deactivated. Sign in with a browser to activate it again.',
  blocked_pending_approval: 'Your account is waiting for an administrator to approve it.',
}

/** Why the user may not act, for themselves; null where they may. */
export function refusalOfUser({ state }: Pick<User, 'state'>): string | null {
  return state === acting ? null : whyNot[state]
}
