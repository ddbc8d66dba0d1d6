/** The way back in for an administrator who has lost the second factor. */
import { expect, test } from 'vitest'
import { testForge } from '../../test/support/forge.ts'
import { userById } from '../access/users.ts'
import { disable } from './second-factor.ts'

test('the command removes a second factor, and says so where there is none', async () => {
  const { app, ...forge } = await testForge()
  const user = await forge.user()
  await app.db.updateTable('users').set({ two_factor_enabled: true }).where('id', '=', user.id).execute()
  const lines: string[] = []
  for (const _ of [1, 2]) await disable(app, user.username, (line) => lines.push(line))
  expect(lines).toEqual([`The second factor of ${user.username} is off.`, `${user.username} has no second factor.`])
  expect((await userById(app.db, user.id))?.two_factor_enabled).toBe(false)
  await expect(disable(app, 'nobody-here', () => {})).rejects.toThrow('there is no user nobody-here')
})
