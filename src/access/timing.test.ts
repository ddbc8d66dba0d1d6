/** How long it takes to be refused tells nothing of who there is. */
import { expect, test } from 'vitest'
import { testForge } from '../../test/support/forge.ts'
import { signInByPassword } from './users.ts'

test('an unknown name, a wrong password, a blocked user and one without a password take as long', async () => {
  const forge = await testForge()
  await forge.user({ username: 'known', password: 'a-long-password' })
  await forge.user({ username: 'blocked', password: 'a-long-password', state: 'blocked' })
  await forge.user({ username: 'keyless' })
  const logins = ['known', 'blocked', 'keyless', 'no-such-user', 'known@example.com', 'a@b.c']
  const least = new Map(logins.map((login) => [login, Number.POSITIVE_INFINITY]))
  // Processor time, and the least of some rounds: what else the machine does only adds to it.
  for (let round = 0; round < 5; round += 1) {
    for (const login of logins) {
      const before = process.cpuUsage()
      expect(await signInByPassword(forge.app.db, login, `wrong-${round}`)).toBe(null)
      const { user, system } = process.cpuUsage(before)
      least.set(login, Math.min(least.get(login) ?? 0, user + system))
    }
  }
  // Without the work of a hash it would be a tenth and less.
  expect(Math.max(...least.values()) / Math.min(...least.values())).toBeLessThan(3)
})
