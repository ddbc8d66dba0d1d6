/** Access to users. */
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { forbidden } from '../../../failure.ts'
import type { Condition, Granted } from '../../../http/declare/rules.ts'
import { areHiddenFrom } from './users.service.ts'

/** Signed-in users; anonymous callers only if the instance doesn't restrict public visibility. */
export function seesUsers(refusal: () => Error): Condition<Granted> {
  return {
    description: 'signed-in users where public visibility is restricted',
    holds: async ({ user }, { app }) => !(await areHiddenFrom(app, user)),
    refusal,
  }
}

/** Anonymous callers can look up a user by name, but not list users. Throws 403. */
export async function assertMayList(app: App, viewer: User | null, { username }: { username?: string | undefined }): Promise<void> {
  if ((!viewer && !username) || (await areHiddenFrom(app, viewer))) throw forbidden('Not authorized to access /api/v4/users')
}
