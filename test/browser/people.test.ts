/** Journeys of one's own account in Chromium: with script and without, by mouse and by keyboard alone. */
import { expect, test } from 'vitest'
import { publicKey } from '../support/fixtures/ssh-keys.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { withoutScript } from './hands.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge, signIn } from './support.ts'

const password = 'correct horse battery'

/** The smallest PNG there is. */
const picture = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

for (const script of [true, false])
  test(
    `whoever signs up adds a key, a picture and a token (with script: ${script})`,
    script ? inFullRun('2 s of processor. A newcomer signs up and adds a key in `journeys.test.ts`.') : withoutScript,
    browsing(async (open) => {
      const forge = await servedForge()
      const username = `newcomer-${script}`
      const page = await open({ script })
      await page.goto('/users/sign_up')
      await page.getByLabel('Full name').fill('New Comer')
      await page.getByLabel('Username').fill(username)
      await page.getByLabel('Email').fill(`${username}@example.com`)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.getByRole('heading', { name: 'Welcome, New Comer' }).waitFor()

      await page.goto('/profile/keys')
      await page.getByLabel('Key', { exact: true }).fill('not a key')
      await page.getByRole('button', { name: 'Add key' }).click()
      await page.getByText('Key is invalid').waitFor()
      await expect.poll(() => page.getByLabel('Key', { exact: true }).inputValue()).toBe('not a key')
      await page.getByLabel('Key', { exact: true }).fill(publicKey('new@desk'))
      await page.getByRole('button', { name: 'Add key' }).click()
      await page.getByText('Key added').waitFor()
      await page.getByRole('link', { name: 'new@desk' }).click()
      await page
        .getByText(/SHA256:/)
        .first()
        .waitFor()

      await page.goto('/profile')
      await page.getByLabel('New picture').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: picture })
      await page.getByLabel('About you').fill('Hello')
      await page.getByRole('button', { name: 'Save profile' }).click()
      await page.getByText('Profile saved').waitFor()
      await expect.poll(() => page.locator('.picture-field img').getAttribute('src')).toContain('me.png')

      await page.goto('/profile/personal_access_tokens')
      await page.getByLabel('Name').fill('Laptop')
      await page.getByLabel('read_user').check()
      await page.getByRole('button', { name: 'Create token' }).click()
      await page.getByRole('heading', { name: 'New token' }).waitFor()
      const token = (await page.locator('.copy code').textContent()) ?? ''
      expect((await (await fetch(`${await forge.url()}/api/v4/user`, { headers: { 'private-token': token } })).json()).username).toBe(
        username,
      )
      await page.goto('/profile/personal_access_tokens')
      expect(await page.content()).not.toContain(token)
    }),
  )

test(
  'a status is set by the keyboard alone, and the profile shows it, accessible on a phone in the dark',
  inFullRun('1 s of processor. `pages.test.ts` has axe look at the profile; other forms are filled by keyboard.'),
  browsing(async (open) => {
    const forge = await servedForge()
    const user = await forge.user({ password })
    const page = await open({ user, width: 'phone', dark: true })
    await page.goto('/profile')
    await page.getByLabel('Emoji').focus()
    await page.keyboard.type('coffee')
    await page.keyboard.press('Tab')
    await page.keyboard.type('At the desk')
    await page.keyboard.press('Enter')
    await page.getByText('Status saved').waitFor()
    await page.goto(`/${user.username}`)
    await page.getByText('At the desk').waitFor()
    expect(await axeOf(page)).toEqual([])
    await noSidewaysScroll(page, 'narrow')
  }),
)

test(
  'a session that is revoked in one browser has ended in the other',
  inFullRun('1 s of processor. `settings.pages.test.ts` ends sessions without a browser.'),
  browsing(async (open) => {
    const forge = await servedForge()
    const user = await forge.user({ password })
    const [here, there] = [await open(), await open()]
    await signIn(here, user)
    await signIn(there, user)
    await here.goto('/profile/active_sessions')
    await expect.poll(() => here.getByText('Chrome on Linux').count()).toBe(2)
    await here.getByRole('button', { name: 'Revoke' }).click()
    await here.getByText('The session has been ended.').waitFor()
    await there.goto('/profile')
    await there.waitForURL('**/users/sign_in?return_to=%2Fprofile')
  }),
)

test(
  'an account is deleted only with its name and password',
  browsing(async (open) => {
    const forge = await servedForge()
    const user = await forge.user({ password })
    const page = await open()
    await signIn(page, user)
    await page.goto('/profile/account')
    await page.locator('summary', { hasText: 'Delete your account' }).click()
    await page.getByLabel('Your username').fill(user.username)
    await page.getByLabel('Your password').fill(password)
    await page.getByRole('button', { name: 'Delete my account' }).click()
    await page.waitForURL('**/users/sign_in')
    expect((await forge.as(forge.root).get(`/users/${user.id}`)).status).toBe(404)
  }),
)
