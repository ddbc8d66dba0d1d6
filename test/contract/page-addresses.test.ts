/** Every address of a page or a picture that the API names opens, for the one who was told it. */
import { beforeAll, expect, test } from 'vitest'
import { browserOf } from '../support/browser.ts'
import { signedIn } from '../support/fixtures/page-fixture.ts'
import type { TestUser } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { cpuBudget } from '../support/run/cpu.ts'
import { isSampled, ofEveryEndpoint, sampledOnPostgres, saySample } from './world/budgets.ts'
import { addressOf, type ContractFixtures, contractFixtures, expectMany, queryOf, served } from './world/fixtures.ts'

cpuBudget(6, 'Every address that a reply names is opened.')

/** Fields that hold addresses for browsers. */
const named = new Set(['web_url', 'readme_url', 'avatar_url', 'commit_path', 'tag_path'])

/** Files rather than pages. */
const isFile = (field: string, address: string) => field === 'avatar_url' || address.endsWith('/download_export')

/** Pages of features that Gitstead doesn't have yet. A feature that comes takes its line away. */
const toCome: ReadonlyArray<readonly [feature: string, address: RegExp]> = [['milestones', /^\/[^?#]+\/milestones\/\d+$/]]

let fixtures: ContractFixtures
let readers: Array<TestUser | null>

beforeAll(async () => {
  fixtures = await contractFixtures()
  const { forge, project } = fixtures
  const reader = await forge.user({ password: 'correct horse battery' })
  await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id: reader.id, access_level: 40 })
  await forge.as(forge.root).post(`/groups/${fixtures.group.id}/members`, { user_id: reader.id, access_level: 50 })
  const open = await forge.group({ visibility: 'public', owner: reader })
  const inside = await forge.group({ visibility: 'public', parent: open })
  const shown = await forge.project({ group: inside, visibility: 'public' })
  await git(shown.dir, 'branch', 'feature/one', 'main')
  // An administrator opens everything that members open. So in the gate, addresses are only read as root from endpoints for administrators,
  // and only the new ones are opened.
  readers = [reader, null, forge.root]
})

const all = served.filter(({ endpoint }) => endpoint.method === 'GET' && endpoint.kind !== 'stream')
const asked = sampledOnPostgres(all, 8, ({ name }) => name)
saySample('page addresses of endpoints', asked.length, all.length)

/** The addresses in a value, with the field each was found in. */
function addressesIn(value: unknown, found: Map<string, string>, origin: string): void {
  if (Array.isArray(value)) for (const one of value) addressesIn(one, found, origin)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return
  for (const [key, one] of Object.entries(value)) {
    if (named.has(key) && typeof one === 'string' && one !== '') found.set(one.replace(origin, ''), key)
    else addressesIn(one, found, origin)
  }
}

/** The addresses that these endpoints name to the user, or to whoever is not signed in, with the field each was found in. */
async function addressesToldTo(user: TestUser | null): Promise<Map<string, string>> {
  const { forge } = fixtures
  const found = new Map<string, string>()
  const client = user ? forge.as(user) : forge.anonymous
  for (const { endpoint, path } of asked) {
    // Endpoints for everybody name the same addresses to administrators as to others.
    if (isSampled && user === fixtures.forge.root && !/Administrators/.test(endpoint.access.description)) continue
    const { status, body } = await client.get(addressOf(fixtures, path) + queryOf(fixtures, endpoint))
    if (status === 200) addressesIn(body, found, forge.app.config.url)
  }
  return found
}

test('every web_url, readme_url and avatar_url that the API names opens for the one who read it', ofEveryEndpoint, async () => {
  const { forge } = fixtures
  const fields = new Set<string>()
  const broken: unknown[] = []
  const told = new Set<string>()
  let opened = 0
  for (const user of readers) {
    const found = await addressesToldTo(user)
    const browser = user ? await signedIn(forge, user) : browserOf(forge.server)
    for (const [address, field] of found) {
      if (isSampled && user === forge.root && told.has(address)) continue
      told.add(address)
      if (toCome.some(([, pattern]) => pattern.test(address))) continue
      const { status, headers } = await follow(browser, address)
      const type = String(headers['content-type'])
      opened += 1
      fields.add(field)
      if (status !== 200 || type.startsWith('text/html') === isFile(field, address))
        broken.push([user?.username ?? null, field, address, status, type])
    }
  }
  expect(broken).toEqual([])
  if (asked.length < all.length) return
  expectMany(opened, 40)
  expect([...fields].sort()).toEqual(expect.arrayContaining(['avatar_url', 'readme_url', 'web_url']))
})

/** As a browser does, a few times. */
async function follow(browser: ReturnType<typeof browserOf>, address: string, times = 3): ReturnType<typeof browser.get> {
  const shown = await browser.get(address)
  if (shown.location === undefined || times === 0 || shown.location.startsWith('/users/sign_in')) return shown
  return follow(browser, shown.location, times - 1)
}
