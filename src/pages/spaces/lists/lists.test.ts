/** Lists of projects, groups and topics, dashboards, and the search. */
import { beforeAll, expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { browserOf } from '../../../../test/support/browser.ts'
import { engine } from '../../../../test/support/database.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'

const password = 'correct horse battery'

let forge: Forge
let ada: TestUser
let me: Browser
let anonymous: Browser

beforeAll(async () => {
  forge = await testForge()
  ada = await forge.user({ password, name: 'Ada Lovelace', username: 'ada' })
  me = await signedIn(forge, ada)
  anonymous = browserOf(forge.server)
})

/** The names in the rows of a list, in their order. */
const namesIn = (text: string) => [...text.matchAll(/<div class="what"><a href="[^"]*"><bdi>(.*?)<\/bdi><\/a>/g)].map(([, name]) => name)

test('who has nothing yet sees what to do first', async () => {
  const fresh = await signedIn(forge, await forge.user({ password, username: 'fresh' }))
  for (const address of ['/', '/dashboard/projects']) {
    const { text } = await fresh.get(address)
    for (const step of ['/profile/keys', '/projects/new']) expect([address, text.includes(`href="${step}"`)]).toEqual([address, true])
    expect(text).toContain('git push http://gitstead.test/fresh/my-project.git main')
  }
  expect((await fresh.get('/dashboard/projects/starred')).text).toContain('You have not starred any project.')
  expect((await fresh.get('/dashboard/groups')).text).toContain('You are not a member of any group.')
  expect((await fresh.get('/dashboard/activity')).text).toContain('Nothing has happened here yet')
  for (const address of ['/dashboard/projects', '/dashboard/projects/starred', '/dashboard/groups', '/dashboard/activity']) {
    expect((await anonymous.get(address)).location).toBe(`/users/sign_in?return_to=${encodeURIComponent(address)}`)
  }
})

test('a list of projects is filtered and ordered by its address, which the pages below it keep', async () => {
  const names = ['Alpha', 'Beta', 'Gamma']
  for (const name of names) await forge.project({ owner: ada, visibility: 'public', name, files: null })
  const quiet = await forge.project({ owner: ada, visibility: 'private', name: 'Delta', files: null })
  await forge.as(ada).put(`/projects/${quiet.id}`, { topics: ['quiet', 'b<i>'] })
  await forge.as(ada).post(`/projects/${quiet.id}/archive`)
  const { body: gamma } = await forge.as(ada).get('/projects?search=gamma')
  await forge.as(ada).post(`/projects/${gamma[0].id}/star`)
  const own = (names_: string[]) => names_.map((name) => `Ada Lovelace / ${name}`)
  const listed = async (query: string, browser = me) => namesIn((await browser.get(`/explore/projects?${query}`)).text)
  expect(await listed('sort=name_asc&search=')).toEqual(own(['Alpha', 'Beta', 'Delta', 'Gamma']))
  expect(await listed('sort=name_desc', anonymous)).toEqual(own(['Gamma', 'Beta', 'Alpha']))
  expect(await listed('visibility=private')).toEqual(own(['Delta']))
  expect(await listed('archived=true')).toEqual(own(['Delta']))
  expect(await listed('archived=false&sort=name_asc')).toEqual(own(names))
  expect(await listed('topic=QUIET')).toEqual(own(['Delta']))
  expect(await listed('starred=true')).toEqual(own(['Gamma']))
  expect(await listed('starred=true', anonymous)).toHaveLength(3)
  expect(await listed('sort=stars_desc')).toEqual(expect.arrayContaining(own(names)))
  expect((await listed('sort=stars_desc'))[0]).toBe('Ada Lovelace / Gamma')
  expect(namesIn((await me.get('/explore/projects/starred')).text)[0]).toBe('Ada Lovelace / Gamma')
  expect(namesIn((await me.get('/explore/projects/trending')).text)[0]).toBe('Ada Lovelace / Gamma')
  expect(namesIn((await me.get('/dashboard/projects/starred')).text)).toEqual(own(['Gamma']))
  expect((await me.get('/explore/projects?search=nothing-like-it')).text).toContain('No project matches.')
  for (const malformed of [
    'sort=worst',
    'visibility=secret',
    'archived=maybe',
    'page=0',
    'page=x',
    'owned=2',
    `search=${'x'.repeat(1_001)}`,
  ]) {
    expect([malformed.slice(0, 20), (await me.get(`/explore/projects?${malformed}`)).status]).toEqual([malformed.slice(0, 20), 400])
  }
  for (let index = 0; index < 20; index += 1) await forge.project({ owner: ada, visibility: 'public', name: `More ${index}`, files: null })
  const { text } = await me.get('/explore/projects?search=more&sort=name_asc&visibility=public&page=1')
  expect(readDocument(text).faults).toEqual([])
  const { text: all } = await me.get('/explore/projects?sort=name_asc&visibility=public')
  expect(all).toContain('href="/explore/projects?visibility=public&amp;sort=name_asc&amp;page=2"')
})

test(
  'a long list costs no more statements than a short one, and a late page none more than an early one',
  inFullRun('Half a second of processor. `pages-for-people.test.ts` counts the statements of every page.'),
  async () => {
    const bea = await forge.user({ password, username: 'bea' })
    const group = await forge.group({ owner: bea, visibility: 'public', name: 'Beas group' })
    await forge.project({ owner: bea, group, visibility: 'public', name: 'Bea 0', files: null })
    const mine = await signedIn(forge, bea)
    const addresses = ['/', '/dashboard/projects', '/dashboard/groups', '/dashboard/activity', '/explore/projects', '/explore/groups']
    const searches = ['/search?search=bea', '/search?search=bea&scope=groups', '/search?search=bea&scope=users']
    const costs = async () => {
      const found: Record<string, number> = {}
      for (const address of [...addresses, ...searches, '/explore/projects/trending', '/explore/projects/topics']) {
        await mine.get(address)
        found[address] = (await forge.cost(() => mine.get(address))).statements
      }
      return found
    }
    const few = await costs()
    for (let index = 1; index < 25; index += 1) {
      await forge.project({ owner: bea, group, visibility: 'public', name: `Bea ${index}`, files: null })
      await forge.group({ owner: bea, visibility: 'public', name: `Bea group ${index}` })
    }
    // Names of parents and owners are looked up only where a page has such rows.
    for (const [address, statements] of Object.entries(await costs())) {
      // The search counts every kind beside its name, on PostgreSQL each within a time of its own.
      const most = address.startsWith('/search') ? (engine === 'postgres' ? 56 : 36) : 12
      expect([address, statements <= (few[address] ?? 0), Math.max(statements, most)]).toEqual([address, true, most])
    }
    const early = await forge.cost(() => mine.get('/explore/projects'))
    const late = await forge.cost(() => mine.get('/explore/projects?page=2'))
    expect([late.statements <= early.statements + 1, late.processes]).toEqual([true, 0])
  },
)

test('groups stand in their lists from the top, and a search finds those below', async () => {
  const group = await forge.group({ owner: ada, visibility: 'internal', name: 'Zoology' })
  await forge.group({ owner: ada, visibility: 'internal', parent: group, name: 'Zebras', path: 'zebras' })
  const { text } = await me.get('/dashboard/groups')
  expect(text).toContain(group.full_path)
  expect(text).not.toContain('zebras')
  expect((await me.get('/dashboard/groups?search=zebras')).text).toContain(`${group.full_path}/zebras`)
  expect((await anonymous.get('/explore/groups?search=zoology')).text).toContain('No group matches.')
  const other = await signedIn(forge, await forge.user({ password }))
  expect((await other.get('/explore/groups?search=zoology&visibility=internal')).text).toContain(group.full_path)
  expect((await other.get('/dashboard/groups')).text).not.toContain(group.full_path)
})

test('topics lead to the projects that have them, whatever is in their names', async () => {
  const { text } = await me.get('/explore/projects/topics')
  expect(text).toContain('href="/explore/projects/topics/b%3Ci%3E"')
  expect(readDocument(text).faults).toEqual([])
  expect(namesIn((await me.get('/explore/projects/topics/b%3Ci%3E')).text)).toEqual(['Ada Lovelace / Delta'])
  expect((await anonymous.get('/explore/projects/topics/quiet')).status).toBe(404)
  expect((await me.get('/explore/projects/topics/none-such')).status).toBe(404)
})

test('the search finds projects, groups and users as the API does, within a group, and refs of a project', async () => {
  const group = await forge.group({ owner: ada, visibility: 'private', name: 'Needles' })
  const inside = await forge.project({ group, owner: ada, visibility: 'private', name: 'Needle inside' })
  await forge.project({ owner: ada, visibility: 'public', name: 'Needle outside', files: null })
  const found = async (query: string, browser = me) => namesIn((await browser.get(`/search?search=${query}`)).text)
  expect(await found('needle')).toHaveLength(2)
  expect(await found('needle', anonymous)).toEqual(['Ada Lovelace / Needle outside'])
  expect(await found('needles&scope=groups')).toEqual([group.full_path])
  expect(await found('lovelace&scope=users')).toEqual(['Ada Lovelace'])
  expect(await found('lovelace&scope=users', anonymous)).toEqual([])
  expect(await found(`needle&group_id=${group.id}`)).toEqual(['Needles / Needle inside'])
  expect(await found(`mai&scope=refs&project_id=${inside.id}`)).toEqual(['main'])
  expect(await found(`${encodeURIComponent(ada.email)}&scope=users`, await signedIn(forge, await forge.user({ password })))).toEqual([])
  for (const hidden of [`group_id=${group.id}`, `project_id=${inside.id}`, 'group_id=999999999']) {
    expect([hidden, (await anonymous.get(`/search?search=x&${hidden}`)).status]).toEqual([hidden, 404])
  }
  const hostile = encodeURIComponent(`"><script>alert(1)</script>'%\\_ %00`.replace('%00', ''))
  for (const scope of ['projects', 'groups', 'users']) {
    const { status, text } = await me.get(`/search?scope=${scope}&search=${hostile}`)
    expect([scope, status, readDocument(text).faults]).toEqual([scope, 200, []])
    expect(text).not.toContain('<script>alert')
  }
  expect((await me.get('/search?search=a%00b')).status).toBeLessThan(500)
})
