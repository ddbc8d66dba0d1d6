/** How long it takes to be refused tells nothing of who there is. */
import { expect, test } from 'vitest'
import { testForge } from '../../test/support/forge.ts'
import { signInByPassword } from './users.ts'

test('an unknown name, a wrong password, a blocked user and one without a password take as long', async () => {
  const forge = await testForge()
  await forge.user({ username: 'known', password: 'a-long-password' })
  await forge.user({ username: 'blocked', password: 'a-long-password', state: 'blocked' })
  await forge.user({ username: 'keyless' })
  const times: Record<string, number[]> = { known: [], blocked: [], keyless: [], 'no-such-user': [], 'known@example.com': [], 'a@b.c': [] }
  // In turns, so that what else the machine does hits all of them.
  for (let round = 0; round < 9; round += 1) {
    for (const [login, all] of Object.entries(times)) {
      const started = performance.now()
      expect(await signInByPassword(forge.app.db, login, `wrong-${round}`)).toBe(null)
      all.push(performance.now() - started)
    }
  }
  const medians = Object.values(times).map((all) => all.toSorted((a, b) => a - b)[4] as number)
  // Without the work of a hash it would be a tenth and less.
  expect(Math.max(...medians) / Math.min(...medians)).toBeLessThan(3)
})
