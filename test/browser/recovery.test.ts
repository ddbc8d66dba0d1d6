/** A forgotten password with Chromium: from the page of signing in to the link in a real message and back, and the bell of a project. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, openForge } from '../support/forge.ts'
import { freePort } from '../support/free-port.ts'
import { type MailServer, mailServer } from '../support/mail-server.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { axeOf, browsing, noSidewaysScroll } from './support.ts'

let forge: Forge
let server: MailServer
let url: string
beforeAll(async () => {
  server = await mailServer()
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  forge = await openForge({ config: { port, url, mail: server.config } })
  await forge.url()
})

test(
  'a user who has forgotten their password gets in by mail, and chooses what a project tells them',
  inFullRun('Chromium and a forge of its own. `recovery.test.ts` of the pages goes the same way by forms.'),
  browsing(async (open) => {
    const user = await forge.user({ password: 'correct horse battery' })
    const project = await forge.project({ reporter: user, files: null })
    const page = await open({ url })
    await page.goto('/users/sign_in')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByLabel('Email').fill(user.email)
    expect(await axeOf(page)).toEqual([])
    await noSidewaysScroll(page, 'narrow')
    await page.getByRole('button', { name: 'Send a link' }).click()
    await page.getByText('a message is on its way').waitFor()
    await forge.drain()
    const link = /http:\S+reset_password_token=\S+/.exec(server.received[0]?.mail.text ?? '')?.[0] ?? ''

    await page.goto(link)
    await page.getByLabel('New password', { exact: true }).fill('another horse battery')
    await page.getByLabel('Confirm new password').fill('another horse battery')
    expect(await axeOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Your password has been changed').waitFor()
    await page.getByLabel('Username or email').fill(user.username)
    await page.getByLabel('Password').fill('another horse battery')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(`${url}/`)

    await page.goto(`/${project.full_path}`)
    await page.getByRole('link', { name: 'Notifications: As everywhere' }).click()
    await page.getByLabel('Level').selectOption('watch')
    expect(await axeOf(page)).toEqual([])
    await noSidewaysScroll(page, 'narrow')
    await page.getByRole('button', { name: 'Save notifications' }).click()
    await page.getByRole('link', { name: 'Notifications: Everything' }).waitFor()
  }),
)
