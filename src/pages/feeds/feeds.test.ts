/** Feeds: the format, who reads what with which token, and hostile text. */
import { Parser } from 'htmlparser2'
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../test/support/browser.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../test/support/forge.ts'
import { git } from '../../../test/support/git.ts'
import { resetFeedToken } from '../../features/people/users/users.ts'
import { recordPush } from '../../features/repository/pushes/record.ts'

const hostile = `<b>"'&</b>]]>\u0007\u202e`

let forge: Forge
let owner: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ name: `Ada ${hostile.replace('\u0007', '')}`, password: 'correct horse battery' })
  const group = await forge.group({ owner, visibility: 'private' })
  project = await forge.project({
    owner,
    group,
    visibility: 'private',
    commits: [
      { message: `First ${hostile}\n\nBody`, files: { 'a.txt': 'a' } },
      { message: 'Second', files: { 'b.txt': 'b' } },
    ],
  })
  await git(project.dir, 'tag', 'v1&<2>', 'main')
  await forge.drain()
})

interface Node {
  name: string
  attributes: Record<string, string>
  text: string
  children: Node[]
}

/** The tree of a document of XML. Throws where something is closed that isn't open. */
function parse(text: string): Node {
  const root: Node = { name: '', attributes: {}, text: '', children: [] }
  const open = [root]
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        const node: Node = { name, attributes, text: '', children: [] }
        open.at(-1)?.children.push(node)
        open.push(node)
      },
      ontext: (piece) => {
        const node = open.at(-1)
        if (node) node.text += piece
      },
      onclosetag: (name, isImplied) => {
        const closed = open.pop()
        if ((isImplied && name !== 'link') || closed?.name !== name) throw new Error(`${name} is closed where ${closed?.name} is open`)
      },
    },
    { xmlMode: true },
  )
  parser.end(text)
  expect(open).toEqual([root])
  return root
}

const all = (node: Node, name: string) => node.children.filter((child) => child.name === name)
const one = (node: Node, name: string) => {
  expect([node.name, name, all(node, name).length]).toEqual([node.name, name, 1])
  return all(node, name)[0] as Node
}

/** The rules of RFC 4287 that a feed of ours can break. Returns its entries. */
function validFeed(text: string): Node[] {
  expect(text).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom">/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these can't stand in XML in any form
  expect(text).not.toMatch(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/)
  const feed = one(parse(text), 'feed')
  const isDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
  const isIri = (iri: string) => expect([iri, URL.canParse(iri) && /^[\x21-\x7e]+$/.test(iri)]).toEqual([iri, true])
  const common = (node: Node) => {
    isIri(one(node, 'id').text)
    expect(one(node, 'title').text).not.toBe('')
    expect(one(node, 'updated').text).toMatch(isDate)
    for (const { attributes } of all(node, 'link')) isIri(attributes.href ?? '')
    expect(all(node, 'link').filter(({ attributes }) => attributes.rel === 'alternate')).toHaveLength(1)
  }
  common(feed)
  const entries = all(feed, 'entry')
  for (const entry of entries) {
    common(entry)
    expect(one(one(entry, 'author'), 'name').text).not.toBe('')
  }
  const ids = entries.map((entry) => one(entry, 'id').text)
  expect(new Set(ids).size).toBe(ids.length)
  return entries
}

const isFeed = (answer: { headers: Record<string, unknown> }) => String(answer.headers['content-type'])

function feeds(): string[] {
  const group = project.namespace_full_path
  return [
    `/${project.full_path}`,
    `/${project.full_path}/commits/main`,
    `/${project.full_path}/tags`,
    `/${group}`,
    `/${owner.username}`,
  ].map((path) => `${path}.atom`)
}

async function withToken(browser: Browser, address: string, token: string, name = 'feed_token') {
  return browser.get(`${address}?${name}=${token}`)
}

test('each feed is valid Atom with absolute links, whatever people write', async () => {
  const me = browserOf(forge.server)
  for (const address of [...feeds(), '/dashboard/projects.atom']) {
    const answer = await withToken(me, address, owner.feed_token as string)
    expect([address, answer.status, isFeed(answer)]).toEqual([address, 200, 'application/atom+xml; charset=utf-8'])
    expect([address, answer.headers['cache-control'], answer.headers['x-content-type-options']]).toEqual([
      address,
      'private, no-cache',
      'nosniff',
    ])
    const entries = validFeed(answer.text)
    expect([address, entries.length > 0]).toEqual([address, true])
    for (const entry of entries) expect(one(entry, 'link').attributes.href).toMatch(/^http:\/\/gitstead\.test\//)
    expect(answer.text).not.toContain('<b>')
    expect(answer.text).not.toContain(owner.feed_token)
  }
})

test('the commits of a branch come latest first, with ids that stay when the project moves', async () => {
  const me = browserOf(forge.server)
  const token = owner.feed_token as string
  const moving = await forge.project({ owner, visibility: 'public', path: 'moving', commits: [{ message: 'Only', files: { a: 'a' } }] })
  const before = validFeed((await me.get(`/${moving.full_path}/commits/main.atom`)).text)
  await forge.as(owner).put(`/projects/${moving.id}`, { path: 'moved' })
  const old = await me.get(`/${moving.full_path}/commits/main.atom`)
  expect([old.status, old.location]).toEqual([301, `/${owner.username}/moved/commits/main.atom`])
  expect((await me.get(`/${moving.full_path}.atom?a=b`)).location).toBe(`/${owner.username}/moved.atom?a=b`)
  const after = validFeed((await me.get(old.location as string)).text)
  expect(after.map((entry) => one(entry, 'id').text)).toEqual(before.map((entry) => one(entry, 'id').text))

  const titles = validFeed((await withToken(me, `/${project.full_path}/commits/main.atom`, token)).text).map(
    (entry) => one(entry, 'title').text,
  )
  expect(titles[0]).toBe('Second')
  expect((await withToken(me, `/${project.full_path}/commits/no-such-branch.atom`, token)).status).toBe(404)
})

test('a feed is for those who may open its page: by session, by their token under either name, and by no other', async () => {
  const stranger = await forge.user({ password: 'correct horse battery' })
  const me = browserOf(forge.server)
  const hidden = feeds().slice(0, 4)
  for (const address of hidden) {
    expect([address, (await me.get(address)).status]).toEqual([address, 404])
    expect([address, (await withToken(me, address, stranger.feed_token as string)).status]).toEqual([address, 404])
    expect([address, (await withToken(me, address, owner.feed_token as string, 'rss_token')).status]).toEqual([address, 200])
    for (const wrong of ['x', '', owner.token, `${owner.feed_token}x`, 'gstft-%00', `${'0'.repeat(40)}`]) {
      expect([address, wrong, (await withToken(me, address, wrong)).status]).toEqual([address, wrong, 404])
    }
    expect([address, (await me.get(`${address}?feed_token[]=${owner.feed_token}`)).status]).toEqual([address, 404])
  }
  expect((await me.get('/dashboard/projects.atom')).status).toBe(401)
  await me.submit('/users/sign_in', '/users/sign_in', { login: owner.username, password: 'correct horse battery' })
  for (const address of [...hidden, '/dashboard/projects.atom']) expect([address, (await me.get(address)).status]).toEqual([address, 200])
})

test('a feed token opens nothing but feeds, and ends when it is reset or its user is blocked', async () => {
  const user = await forge.user({})
  await forge.as(owner).post(`/projects/${project.id}/members`, { user_id: user.id, access_level: 20 })
  const me = browserOf(forge.server)
  const address = `/${project.full_path}.atom`
  const first = user.feed_token as string
  expect((await withToken(me, address, first)).status).toBe(200)
  expect((await me.get(`/${project.full_path}?feed_token=${first}`)).status).toBe(404)
  for (const sent of [{ 'private-token': first }, { authorization: `Bearer ${first}` }] as Array<Record<string, string>>) {
    expect((await me.get('/api/v4/user', sent)).status).toBe(401)
  }
  const second = await resetFeedToken(forge.app, user)
  expect((await withToken(me, address, first)).status).toBe(404)
  expect((await withToken(me, address, second)).status).toBe(200)
  await forge.as(forge.root).post(`/users/${user.id}/block`)
  expect((await withToken(me, address, second)).status).toBe(404)
})

test('a public feed needs no token; unchanged it is answered with 304, and it costs the same however much happened', async () => {
  const open = await forge.project({ owner, visibility: 'public', files: null })
  const push = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const change = { ref: `refs/heads/b${count}-${index}`, before: '0'.repeat(40), after: 'a'.repeat(40) }
      await recordPush(forge.app, { project: open, user: owner }, [change], null)
    }
    // The first reader of a push would count its commits.
    await forge.drain()
  }
  await push(1)
  const me = browserOf(forge.server)
  const address = `/${open.full_path}.atom`
  const { headers, status } = await me.get(address)
  expect(status).toBe(200)
  expect((await me.get(address, { 'if-none-match': String(headers.etag) })).status).toBe(304)
  const short = await forge.cost(() => me.get(address))
  await push(30)
  expect(await forge.cost(() => me.get(address))).toEqual(short)
  expect(validFeed((await me.get(address)).text)).toHaveLength(20)
})

test('the feed of a private profile is empty for others', async () => {
  const shy = await forge.user({ private_profile: true })
  const open = await forge.project({ owner: shy, visibility: 'public' })
  await forge.drain()
  const me = browserOf(forge.server)
  expect(validFeed((await me.get(`/${shy.username}.atom`)).text)).toEqual([])
  expect(validFeed((await withToken(me, `/${shy.username}.atom`, shy.feed_token as string)).text).length).toBeGreaterThanOrEqual(0)
  expect((await me.get(`/${open.full_path}.atom`)).status).toBe(200)
})

test('where public visibility is restricted, visitors learn of users by their feeds no more than by their pages', async () => {
  const user = await forge.user({ name: 'Known to users' })
  await forge.as(forge.root).put('/application/settings', { restricted_visibility_levels: ['public'] })
  try {
    const me = browserOf(forge.server)
    expect((await me.get(`/${user.username}`)).status).toBe(404)
    expect((await me.get(`/${user.username}.atom`)).status).toBe(404)
    expect((await withToken(me, `/${user.username}.atom`, owner.feed_token as string)).status).toBe(200)
  } finally {
    await forge.as(forge.root).put('/application/settings', { restricted_visibility_levels: [] })
  }
})
