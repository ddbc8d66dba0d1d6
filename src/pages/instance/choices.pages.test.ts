/** Pages are in the language of the browser, or in the one that its user has chosen. */
import { beforeAll, expect, test } from 'vitest'
import { browserOf } from '../../../test/support/browser.ts'
import { type Forge, testForge } from '../../../test/support/forge.ts'

let forge: Forge

beforeAll(async () => {
  forge = await testForge()
})

test('a page is in the language that the browser asks for, or in the one that was chosen, which the API never is', async () => {
  const browser = browserOf(forge.server)
  const german = { 'accept-language': 'de-AT,en;q=0.5' }
  const asked = await browser.get('/explore/projects', german)
  expect([asked.text.includes('<html lang="de"'), asked.text.includes('Anmelden'), asked.headers.vary]).toEqual([
    true,
    true,
    expect.stringContaining('accept-language'),
  ])
  const chosen = await browser.submit('/explore/projects', '/-/language', { language: 'zh', back: '/explore/projects' })
  expect([chosen.status, chosen.location]).toEqual([303, '/explore/projects'])
  const kept = await browser.get('/explore/projects', german)
  expect([kept.text.includes('<html lang="zh"'), kept.text.includes('登录')]).toEqual([true, true])
  expect((await browser.get('/api/v4/projects/404', german)).text).toBe('{"message":"404 Project Not Found"}')
})

test('a refused page and a failed form are in that language, too; a language that is not there changes nothing', async () => {
  const browser = browserOf(forge.server)
  const missing = await browser.get('/nobody/nothing', { 'accept-language': 'de' })
  expect([missing.status, missing.text.includes('Diese Seite gibt es nicht')]).toEqual([404, true])
  const refused = await browser.submit('/explore/projects', '/-/language', { language: 'xx', back: '/' })
  expect([refused.status, browser.cookies.has('_service_language')]).toEqual([400, false])
  browser.cookies.set('_service_language', '__proto__')
  expect((await browser.get('/explore/projects')).text).toContain('<html lang="en"')
})
