/** Letting an application in with Chromium: signed in on the way, led back to where the application listens. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { anApplication, authorizeAddress, challenge, redeem, verifier } from '../support/oauth.ts'
import { withoutScript } from './hands.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge } from './support.ts'

const password = 'correct horse battery'

/** An application on the user's own machine: the address it listens at, and the path it was called by. */
async function listeningApplication(): Promise<{ redirect_uri: string; called: () => Promise<URL> }> {
  let tell: (url: URL) => void
  const called = new Promise<URL>((resolve) => {
    tell = resolve
  })
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(
      '<!DOCTYPE html><html lang="en"><title>Done</title><link rel="icon" href="data:,"><h1>You can close this window</h1></html>',
    )
    if (request.url?.startsWith('/callback')) tell(new URL(request.url, 'http://127.0.0.1'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { redirect_uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`, called: () => called }
}

for (const script of [true, false])
  test(
    `a user signs in, sees who asks for what, and lets a program on their machine in (with script: ${script})`,
    script ? {} : withoutScript,
    browsing(async (open) => {
      const forge = await servedForge()
      const user = await forge.user({ password })
      const application = await anApplication(forge, { name: 'Desktop', confidential: false, redirect_uri: 'http://127.0.0.1/callback' })
      const { redirect_uri, called } = await listeningApplication()
      const page = await open({ script })

      await page.goto(
        authorizeAddress(application, { redirect_uri, scope: 'read_user', code_challenge: challenge, code_challenge_method: 'S256' }),
      )
      await page.getByLabel('Username or email').fill(user.username)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { name: 'Authorize Desktop?' }).waitFor()
      await page.getByText('Reads your profile and those of others over the API').waitFor()
      if (script) {
        expect(await axeOf(page)).toEqual([])
        await noSidewaysScroll(page, 'narrow')
      }
      await page.getByRole('button', { name: 'Authorize' }).click()
      await page.getByRole('heading', { name: 'You can close this window' }).waitFor()

      const told = (await called()).searchParams
      expect(told.get('state')).toBe('a-state')
      const { status, body } = await redeem(forge, application, told.get('code') ?? '', { redirect_uri, code_verifier: verifier })
      expect([status, body.scope]).toEqual([200, 'read_user'])

      await page.goto('/profile/applications')
      await page.getByText('Desktop').first().waitFor()
    }),
  )
