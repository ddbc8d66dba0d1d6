/** Who may see users at all. */
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { forbidden } from '../../../failure.ts'
import type { Condition, Granted } from '../../../http/declare/rules.ts'
import { areHiddenFrom } from './users.service.ts'

/** Signed-in users; callers who aren't only where the instance restricts no public visibility. */
export function seesUsers(refusal: () => Error): Condition<Granted> {
  return {
    description: 'signed-in users where public visibility is restricted',
    holds: async ({ user }, { app }) => !(await areHiddenFrom(app, user)),
    refusal,
  }
}

/** Callers who aren't signed in find a user by name, and list nobody. Throws 403. */
export async function assertMayList(app: App, viewer: User | null, { username }: { username?: string | undefined }): Promise<void> {
  if ((!viewer && !username) || (await areHiddenFrom(app, viewer))) throw forbidden('Not authorized to access /api/v4/users')
}
