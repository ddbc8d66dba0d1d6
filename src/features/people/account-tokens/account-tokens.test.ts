/** Tokens that are sent by mail: each works once, for its purpose, until it ends. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inTransaction } from '../../../db/database.ts'
import { changeUserState } from '../users/users.ts'
import { pruneAccountTokens } from './account-tokens.jobs.ts'
import {
  confirmEmail,
  isGoodToken,
  issueAccountToken,
  lifeOfToken_h,
  resetPassword,
  type TokenPurpose,
  unlockSignIn,
} from './account-tokens.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

const password = 'another horse battery'
const mayIssue = (user: TestUser, purpose: TokenPurpose, at?: Date) =>
  inTransaction(forge.app.db, (tx) => issueAccountToken(tx, { purpose, user_id: user.id, email: user.email }, at))
const issue = async (user: TestUser, purpose: TokenPurpose, at?: Date) => (await mayIssue(user, purpose, at)) as string
const rowsOf = (user: TestUser) => forge.app.db.selectFrom('account_tokens').selectAll().where('user_id', '=', user.id).execute()
const uses = {
  reset_password: (token: string, at?: Date) => resetPassword(forge.app, token, password, at),
  confirm_email: (token: string, at?: Date) => confirmEmail(forge.app, token, at),
  unlock: (token: string, at?: Date) => unlockSignIn(forge.app, token, at),
}
const purposes = Object.keys(uses) as TokenPurpose[]

test('a token is stored as a digest, works once, and for nothing else', async () => {
  for (const purpose of purposes) {
    const user = await forge.user()
    const token = await issue(user, purpose)
    expect(JSON.stringify(await rowsOf(user))).not.toContain(token)
    for (const other of purposes.filter((one) => one !== purpose))
      await expect(uses[other](token)).rejects.toMatchObject({ code: 'invalid' })
    expect(await isGoodToken(forge.app.db, token, purpose)).toBe(true)
    await uses[purpose](token)
    await expect(uses[purpose](token)).rejects.toMatchObject({ code: 'invalid' })
    expect(await rowsOf(user)).toEqual([])
  }
})

test('one of ten concurrent uses of a token succeeds', async () => {
  for (const purpose of purposes) {
    const token = await issue(await forge.user(), purpose)
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => uses[purpose](token)))
    expect([purpose, outcomes.filter(({ status }) => status === 'fulfilled').length]).toEqual([purpose, 1])
  }
})

test('an expired token is invalid, and is deleted', async () => {
  for (const purpose of purposes) {
    const user = await forge.user()
    const issued = new Date('2030-01-01T00:00:00.000Z')
    const token = await issue(user, purpose, issued)
    const end = new Date(issued.getTime() + lifeOfToken_h[purpose] * 3_600_000)
    expect(await isGoodToken(forge.app.db, token, purpose, new Date(end.getTime() - 1))).toBe(true)
    expect(await isGoodToken(forge.app.db, token, purpose, end)).toBe(false)
    await expect(uses[purpose](token, end)).rejects.toMatchObject({ code: 'invalid' })
    await forge.app.db
      .updateTable('account_tokens')
      .set({ expires_at: '2020-01-01T00:00:00.000Z' })
      .where('user_id', '=', user.id)
      .execute()
    await pruneAccountTokens.handle(forge.app, {})
    expect(await rowsOf(user)).toEqual([])
  }
})

test('an invalid new password leaves the token valid; a valid one invalidates all other links to reset it', async () => {
  const user = await forge.user()
  const [first, second] = [await issue(user, 'reset_password'), await issue(user, 'reset_password')]
  await expect(resetPassword(forge.app, first, 'short')).rejects.toMatchObject({ code: 'invalid' })
  await resetPassword(forge.app, first, password)
  await expect(resetPassword(forge.app, second, password)).rejects.toMatchObject({ code: 'invalid' })
})

test('blocked and deleted users have no valid links', async () => {
  const [blocked, deleted] = [await forge.user(), await forge.user()]
  const tokens = [await issue(blocked, 'reset_password'), await issue(deleted, 'reset_password')]
  await changeUserState(forge.app, blocked.id, 'block')
  await forge.as(forge.root).delete(`/users/${deleted.id}`)
  for (const token of tokens) await expect(resetPassword(forge.app, token, password)).rejects.toMatchObject({ code: 'invalid' })
})

test('a user gets at most ten tokens of a kind per hour, which does not affect other users', async () => {
  const [user, other] = [await forge.user(), await forge.user()]
  const at = new Date('2030-01-01T00:00:00.000Z')
  for (let index = 0; index < 10; index += 1) expect(await mayIssue(user, 'confirm_email', at)).not.toBeNull()
  expect(await mayIssue(user, 'confirm_email', at)).toBeNull()
  expect(await mayIssue(user, 'unlock', at)).not.toBeNull()
  expect(await mayIssue(other, 'confirm_email', at)).not.toBeNull()
  expect(await mayIssue(user, 'confirm_email', new Date(at.getTime() + 3_600_001))).not.toBeNull()
})
