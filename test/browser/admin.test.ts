/** Journeys of administrators in Chromium. */
import { expect, test } from 'vitest'
import { inFullRun } from '../support/run/tiers.ts'
import { withoutScript } from './hands.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge, signIn } from './support.ts'

const password = 'correct horse battery'

for (const script of [true, false])
  test(
    `an administrator creates a user, acts as them, stops, and blocks them (with script: ${script})`,
    script ? {} : withoutScript,
    browsing(async (open) => {
      const forge = await servedForge()
      const admin = await forge.user({ password, admin: true })
      const page = await open({ script })
      await signIn(page, admin)
      const username = `made-${script}`
      await page.goto('/admin/users')
      await page.getByRole('link', { name: 'New user' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Grace Hopper')
      await page.getByLabel('Username').fill(username)
      await page.getByLabel('Email', { exact: true }).fill(`${username}@example.com`)
      await page.getByRole('button', { name: 'Create user' }).click()
      await page.getByText('User created').waitFor()

      await page.getByRole('button', { name: 'Impersonate' }).click()
      await page.getByText(`You act as Grace Hopper (@${username}).`).waitFor()
      await page.goto('/profile')
      await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Grace Hopper')
      expect((await page.goto('/admin'))?.status()).toBe(404)
      if (script) expect(await axeOf(page)).toEqual([])
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByText('You no longer act as another user.').waitFor()

      await page.locator('summary', { hasText: 'Block' }).click()
      await page.getByRole('button', { name: 'Block user' }).click()
      await page.getByText('The user has been blocked.').waitFor()
      await page.goto('/admin/users?filter=blocked')
      await page.getByRole('link', { name: 'Grace Hopper' }).first().waitFor()
    }),
  )

test(
  'a message is previewed, shown to a visitor, and dismissed there for good',
  inFullRun('1 s of processor. `admin.pages.test.ts` and `broadcast-messages.test.ts` have messages.'),
  browsing(async (open) => {
    const forge = await servedForge()
    const admin = await forge.user({ password, admin: true })
    const [page, visitor] = [await open({ user: admin }), await open({ width: 'phone', dark: true })]
    await page.goto('/admin/broadcast_messages')
    await page.getByLabel('Message').fill('Down at noon')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('heading', { name: 'Preview' }).waitFor()
    await page.getByRole('button', { name: 'Add message' }).click()
    await page.getByText('Message saved').waitFor()
    await visitor.goto('/help')
    await visitor.getByText('Down at noon').waitFor()
    await noSidewaysScroll(visitor, 'narrow')
    await visitor.getByRole('button', { name: 'Dismiss' }).click()
    await visitor.getByText('Down at noon').waitFor({ state: 'detached' })
    await visitor.reload()
    await expect.poll(() => visitor.getByText('Down at noon').count()).toBe(0)
    await page.goto('/admin/broadcast_messages')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Message deleted').waitFor()
  }),
)

test(
  'a wrong setting is refused by its field and keeps what was typed',
  browsing(async (open) => {
    const forge = await servedForge()
    const page = await open({ user: await forge.user({ password, admin: true }) })
    await page.goto('/admin/application_settings?group=help')
    await page.getByLabel('Link to support').fill('nowhere')
    await page.getByLabel('Text of the help page').fill('Ask Ada')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.locator('#help_page_support_url[aria-invalid]').waitFor()
    await expect.poll(() => page.getByLabel('Text of the help page').inputValue()).toBe('Ask Ada')
    await page.getByLabel('Link to support').fill('')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Settings saved').waitFor()
  }),
)
