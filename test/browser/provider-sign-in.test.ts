/** Signing in through another Gitstead with Chromium: away from one service, and back to it. */
import { expect, test } from 'vitest'
import { openForge } from '../support/forge.ts'
import { anApplication } from '../support/oauth.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { withoutScript } from './hands.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge } from './support.ts'

const password = 'correct horse battery'

for (const script of [true, false])
  test(
    `somebody signs in through another service, and sees that they are connected (with script: ${script})`,
    { ...inFullRun('The way there and back is walked without a browser, too.'), ...(script ? {} : withoutScript) },
    browsing(async (open) => {
      const there = await servedForge()
      const application = await anApplication(there, { name: 'Here', redirect_uri: 'http://localhost/users/auth/corp/callback' })
      const provider = {
        name: 'corp',
        label: 'Corp',
        issuer: there.app.config.url,
        client_id: application.client_id,
        client_secret: application.client_secret ?? null,
        scopes: 'openid profile email',
        sign_up: null,
        trusts_email: false,
      }
      const another = { ...provider, name: 'other', label: 'Another company with a long name' }
      const here = await openForge({ config: { identity_providers: { openid: [provider, another], ldap: null } } })
      // Cookies don't tell ports apart: another name of the machine is another service.
      const { port } = new URL(await here.url())
      here.app.config.url = `http://localhost:${port}`
      const user = await there.user({ password })
      const page = await open({ script, url: here.app.config.url })

      await page.goto('/users/sign_in?return_to=%2Fprofile%2Faccount')
      if (script) {
        expect(await axeOf(page)).toEqual([])
        await noSidewaysScroll(page, 'narrow')
      }
      await page.getByRole('button', { name: 'Sign in with Corp' }).click()
      await page.getByLabel('Username or email').fill(user.username)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('button', { name: 'Authorize' }).click()
      await page.getByRole('heading', { name: 'Connected accounts' }).waitFor()
      await expect.poll(() => new URL(page.url()).origin).toBe(here.app.config.url)
      await page.getByText('it is the way you sign in').waitFor()
      if (script) {
        expect(await axeOf(page)).toEqual([])
        await noSidewaysScroll(page, 'narrow')
      }
    }),
  )
