/** The second factor in Chromium: an app without script, and passkeys of a virtual authenticator. */
import { createServer } from 'node:net'
import type { CDPSession, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type Forge, openForge, type TestUser } from '../support/forge.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { axeOf, browsing, noSidewaysScroll, type Open, signIn } from './support.ts'

const password = 'correct horse battery'
const settings = '/profile/two_factor_auth'

let named: Promise<{ forge: Forge; url: string }> | null = null

/** The forge of this file. Passkeys are bound to a name: an address won't do. */
function namedForge(): Promise<{ forge: Forge; url: string }> {
  named ??= openNamed()
  return named
}

async function openNamed(): Promise<{ forge: Forge; url: string }> {
  const port = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address() as { port: number }
      server.close(() => resolve(free))
    })
  })
  const url = `http://localhost:${port}`
  const forge = await openForge({ config: { port, url, hostname: 'localhost' } })
  await forge.url()
  return { forge, url }
}

async function authenticatorOf(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
  } as const
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, automaticPresenceSimulation: true },
  })
  return { cdp, authenticatorId }
}

async function typePassword(page: Page, user: TestUser): Promise<void> {
  await page.goto('/users/sign_in')
  await page.getByLabel('Username or email').fill(user.username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Second factor' }).waitFor()
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.goto(settings)
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Add passkey' }).click()
}

/** In a browser without a passkey: axe has a session of its own with the browser, whose end would take the authenticator away. */
async function byRecoveryCode(page: Page, user: TestUser, code: string): Promise<void> {
  await typePassword(page, user)
  expect(await axeOf(page)).toEqual([])
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL((address) => !address.pathname.startsWith('/users/'))
  await page.goto(settings)
  expect(await axeOf(page)).toEqual([])
}

async function passkeyJourney(open: Open): Promise<void> {
  const { forge, url } = await namedForge()
  const user = await forge.user({ password })
  const page = await open({ url })
  const { cdp, authenticatorId } = await authenticatorOf(page)
  await signIn(page, user)
  await addPasskey(page, 'Laptop')
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
  const codes = await page.locator('.recovery-codes code').allTextContents()
  // A device can be registered only once.
  await addPasskey(page, 'Laptop again')
  await page.getByText('No passkey was made. Try again.').waitFor()
  await byRecoveryCode(await open({ url }), user, codes[0] ?? '')

  await page.context().clearCookies()
  await typePassword(page, user)
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.waitForURL((address) => !address.pathname.startsWith('/users/'))
  await page.goto(settings)
  await page.getByText('Laptop', { exact: true }).waitFor()

  // By itself: it names the user, and asks them who they are.
  await page.context().clearCookies()
  await page.goto('/users/sign_in')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL((address) => !address.pathname.startsWith('/users/'))

  // A copy of the key as it was before has a counter that goes back.
  await page.context().clearCookies()
  await typePassword(page, user)
  await cdp.send('WebAuthn.clearCredentials', { authenticatorId })
  for (const credential of credentials)
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount: 0 } })
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByText('This passkey was not accepted.').waitFor()

  await page.getByLabel('Code').fill(codes[1] ?? '')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL((address) => !address.pathname.startsWith('/users/'))
  await page.goto(settings)
  await page.getByText('You have 8 codes left.').waitFor()
  await page.locator('summary', { hasText: 'Remove' }).click()
  await page.locator('.rows').getByLabel('Your password').fill(password)
  await page.getByRole('button', { name: 'Remove passkey' }).click()
  await page.getByText('Passkey removed').waitFor()
  await page.getByText('With a second factor, your password alone opens nothing').waitFor()
}

test(
  'a passkey is registered, signs in, is refused as a copy, and is removed',
  inFullRun('a journey through twelve pages in Chromium'),
  browsing(passkeyJourney),
)

test(
  'without script the page offers the app, and says what passkeys need; nothing is wider than a phone',
  browsing(async (open) => {
    const { forge, url } = await namedForge()
    const user = await forge.user({ password })
    const page = await open({ url, script: false })
    await signIn(page, user)
    await page.goto(settings)
    await page.getByText('Adding a passkey takes JavaScript').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Add passkey' }).isVisible()).toBe(false)
    await expect.poll(() => page.getByRole('button', { name: 'Set up the app' }).isVisible()).toBe(true)
    await noSidewaysScroll(page, 'phone')
  }),
)
