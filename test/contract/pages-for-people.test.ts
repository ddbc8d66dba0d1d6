/** The laws of pages: for every page there is and every one to come. */

import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { findUser } from '../../src/access/users.ts'
import type { Page } from '../../src/pages/frame/declaration.ts'
import { pages } from '../../src/pages/index.ts'
import { type Browser, browserOf } from '../support/browser.ts'
import { readDocument } from '../support/documents.ts'
import { fixturePassword, type PageFixture, pageFixture, signedIn } from '../support/fixtures/page-fixture.ts'
import { type Forge, type TestUser, testForge } from '../support/forge.ts'
import { cpuBudget } from '../support/run/cpu.ts'
import { isGate, onPostgresAlone } from '../support/run/tiers.ts'
import { isSampled, ofEveryEndpoint, sampled, sampledOnPostgres, saySample } from './world/budgets.ts'

cpuBudget(16, 'Every page is read several times.')

let forge: Forge
let insider: TestUser
let addressOf: PageFixture['addressOf']

beforeAll(async () => {
  forge = await testForge()
  ;({ insider, addressOf } = await pageFixture(forge))
})

const all = pages.filter(({ kind }) => kind === 'page')
const shown = sampledOnPostgres(all, 4, ({ pattern }) => pattern.text)
saySample('pages', shown.length, all.length)

type Answer = Awaited<ReturnType<Browser['get']>>
let asInsider: Promise<Browser> | null = null
const answers = new Map<Page, Promise<Answer>>()

/** The insider's page, requested once for all laws that only look at the document. */
function answerOf(page: Page): Promise<Answer> {
  const known = answers.get(page)
  if (known) return known
  asInsider ??= signedIn(forge, insider)
  const answer = asInsider.then((browser) => browser.get(addressOf(page)))
  answers.set(page, answer)
  return answer
}

const isDocument = (headers: { 'content-type'?: unknown }) => String(headers['content-type']).startsWith('text/html')

test('every page is a whole document with one heading, labelled fields, no style or script of its own, and links that answer', {
  ...ofEveryEndpoint,
  ...onPostgresAlone('7 s of processor.'),
}, async () => {
  const me = await signedIn(forge, insider)
  const anonymous = browserOf(forge.server)
  const found = new Set<string>()
  const opened = new Set<string>()
  for (const page of shown) {
    const address = addressOf(page)
    const own = await answerOf(page)
    if (own.status < 400) opened.add(address)
    for (const answer of [own, await anonymous.get(address)]) {
      const { status, text, headers } = answer
      expect([address, status < 500]).toEqual([address, true])
      if (!isDocument(headers)) continue
      const { faults, links } = readDocument(text)
      expect([address, faults]).toEqual([address, []])
      expect(text).not.toContain('<b>"')
      if (answer === own && status === 200) for (const link of links) found.add(link)
    }
  }
  expect(found.size).toBeGreaterThan(20)
  const broken: unknown[] = []
  for (const link of [...found].filter((one) => !opened.has(one))) {
    const { status } = await me.get(link)
    if (status >= 400) broken.push([link, status])
  }
  expect(broken).toEqual([])
})

/** Elements with what they lead to and send, in any order: a translation may have another one. Sealed values and codes are new on each page. */
function elementsOf(text: string): string[] {
  const tags = text.replace(/<script type="application\/json" id="words">.*?<\/script>/s, '').match(/<[a-z][^>]*>/g) ?? []
  const words = / (?:title|placeholder|aria-label|aria-pressed|alt|label|lang|content|data-request|d)="[^"]*"/g
  return tags.map((tag) => tag.replaceAll(words, '').replace(/(type="hidden" .*)value="[^"]{40,}"/, '$1')).sort()
}

// One language is enough for the gate, and a third of the pages: they differ by their code, which is the same for every language. Of each
// sentence `npm run check` compares the elements and holes with those of its translations.
const translated = sampled(shown, 3, ({ pattern }) => pattern.text)

test.each(isGate ? ['de'] : ['de', 'zh'])(
  'in another language (%s) every page has the same elements, links and fields',
  ofEveryEndpoint,
  async (language) => {
    asInsider ??= signedIn(forge, insider)
    const me = await asInsider
    const different: unknown[] = []
    for (const page of translated) {
      const english = await answerOf(page)
      if (!isDocument(english.headers)) continue
      const { text } = await me.get(addressOf(page), { 'accept-language': language })
      const [own, other] = [elementsOf(english.text), elementsOf(text)]
      const isSame = text.includes(`<html lang="${language}"`) && own.join('\n') === other.join('\n')
      if (!isSame) different.push([page.pattern.text, own.filter((tag) => !other.includes(tag)), other.filter((tag) => !own.includes(tag))])
    }
    expect(different).toEqual([])
  },
)

/** Pages about something that the fixture doesn't have: of them these laws look at a reply of 404 alone. Only to shrink. */
const withoutFixture = JSON.parse(readFileSync(new URL('pages-without-fixture.json', import.meta.url), 'utf8')) as string[]

test('every page finds in the fixture what it is about, so that these laws ask for something', ofEveryEndpoint, async () => {
  const root = await signedIn(forge, forge.root)
  const unfound: string[] = []
  for (const page of shown) {
    const { status } = await (page.pattern.text.startsWith('/admin') ? root.get(addressOf(page)) : answerOf(page))
    if (status >= 400) unfound.push(page.pattern.text)
  }
  expect([...new Set(unfound)].sort()).toEqual(withoutFixture.filter((text) => shown.some(({ pattern }) => pattern.text === text)))
})

test('every answer forbids strange scripts, frames and keeping; bytes of users are never run', ofEveryEndpoint, async () => {
  for (const page of shown) {
    const { headers, status } = await answerOf(page)
    const policy = String(headers['content-security-policy'])
    if (status >= 300) continue
    expect([page.pattern.text, headers['x-content-type-options'], policy]).toEqual([
      page.pattern.text,
      'nosniff',
      isDocument(headers)
        ? expect.stringMatching(/^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'$/)
        : "default-src 'none'; sandbox",
    ])
    if (!isDocument(headers)) continue
    // With `no-referrer`, Chromium and Firefox send forms with `Origin: null`, and nobody could sign in.
    expect([page.pattern.text, headers['cache-control'], headers['referrer-policy']]).toEqual([
      page.pattern.text,
      'no-store',
      'same-origin',
    ])
  }
})

test('what a stranger may not see looks like what is not there; who is not signed in is offered to', ofEveryEndpoint, async () => {
  const stranger = await signedIn(forge, await forge.user({ password: fixturePassword }))
  const anonymous = browserOf(forge.server)
  const missing = (await stranger.get('/nobody/nothing/tree/main')).text
  const bare = (text: string) => text.replaceAll(/(value|href)="[^"]*"/g, '')
  for (const page of shown.filter(({ pattern }) => pattern.space === 'project' || pattern.space === 'group')) {
    const address = addressOf(page)
    const hidden = await stranger.get(address)
    expect([address, hidden.status, bare(hidden.text) === bare(missing)]).toEqual([address, 404, true])
    const outside = await anonymous.get(address)
    expect([address, outside.status, outside.text.includes('/users/sign_in?return_to=')]).toEqual([address, 404, true])
  }
})

test('an action without its form token, or from another site, changes nothing', ofEveryEndpoint, async () => {
  const me = await signedIn(forge, insider)
  const token = /name="form_token" value="([^"]+)"/.exec((await me.get('/')).text)?.[1] as string
  const elsewhere = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://elsewhere.example' }, { origin: 'null' }] as Array<
    Record<string, string>
  >
  for (const [index, action] of pages.filter(({ kind }) => kind === 'action').entries()) {
    const address = addressOf(action)
    expect([address, (await me.post(address, {})).status]).toEqual([address, 403])
    // All actions are refused in one place: in the gate each is sent from one of the other sites.
    for (const headers of isSampled ? elsewhere.slice(index % 3, (index % 3) + 1) : elsewhere) {
      expect([address, headers, (await me.post(address, { form_token: token }, headers)).status]).toEqual([address, headers, 403])
    }
  }
  expect((await findUser(forge.app.db, insider.username))?.state).toBe('active')
  expect((await me.get('/')).status).toBe(200)
})

test('a page costs a fixed number of statements, however much there is', ofEveryEndpoint, async () => {
  const me = await signedIn(forge, insider)
  const counted = sampled(
    shown.filter(({ pattern }) => pattern.space !== null),
    3,
    ({ pattern }) => pattern.text,
  )
  const costs = async () => {
    const found: unknown[] = []
    for (const page of counted) {
      await me.get(addressOf(page))
      found.push([page.pattern.text, await forge.cost(() => me.get(addressOf(page)))])
    }
    return found
  }
  await forge.project({ owner: insider, name: 'One', files: null })
  const few = await costs()
  for (let index = 0; index < 10; index += 1) await forge.project({ owner: insider, name: `More ${index}`, files: null })
  expect(await costs()).toEqual(few)
})
