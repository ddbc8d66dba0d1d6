/** `gitstead admin disable-two-factor`, for when nobody gets in any more who could do it on a page. */
import { findUser } from '../access/users.ts'
import type { App } from '../app.ts'
import { StartRefused } from '../failure.ts'
import { turnOffSecondFactor } from '../features/people/second-factor/second-factor.ts'

export async function disable(app: App, username: string, printLine: (line: string) => void): Promise<void> {
  const user = await findUser(app.db, username)
  if (!user) throw new StartRefused(`there is no user ${username}`)
  const wasOn = await turnOffSecondFactor(app, user.id)
  printLine(wasOn ? `The second factor of ${user.username} is off.` : `${user.username} has no second factor.`)
}
