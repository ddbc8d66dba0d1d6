/** The frame of every page in a real browser: signing in, the menu, and what a failed page looks like. */

import { expect, test } from 'vitest'
import { inFullRun } from '../support/run/tiers.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge, signIn } from './support.ts'

const password = 'correct horse battery'

test(
  'a user signs in by the form and out by the menu',
  inFullRun('1 s of processor. A newcomer signs up and works in `journeys.test.ts`; `sign-in.test.ts` has the form.'),
  browsing(async (open) => {
    const forge = await servedForge()
    const user = await forge.user({ password })
    const page = await open()
    await signIn(page, user)
    await page.locator('details.user > summary').click()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(false)
    await page.locator('details.user > summary').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/users/sign_in')
  }),
)

test(
  'a page that is not there is accessible and fits a phone',
  browsing(async (open) => {
    const page = await open({ width: 'phone', dark: true })
    const response = await page.goto('/nobody/nothing')
    expect(response?.status()).toBe(404)
    expect(await axeOf(page)).toEqual([])
    await noSidewaysScroll(page, 'narrow')
  }),
)
