/** Templates: which there are, that licences are whole, and whose names stand in them. */
import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type Forge, testForge } from '../../../../test/support/forge.ts'
import { fillIn } from './licenses.ts'

let forge: Forge

beforeAll(async () => {
  forge = await testForge()
})

const get = (path: string) => forge.anonymous.get(`/templates/${path}`)
const year = String(new Date().getFullYear())

test('anybody lists the licences, all of them, the popular ones or the others', async () => {
  const keysOf = async (query: string) => (await get(`licenses${query}`)).body.map(({ key }: { key: string }) => key)
  const popular = ['apache-2.0', 'mit']
  const others = ['0bsd', 'bsd-2-clause', 'bsd-3-clause', 'isc', 'unlicense']
  expect(await keysOf('')).toEqual([...popular, ...others].sort())
  expect(await keysOf('?popular=true')).toEqual(popular)
  expect(await keysOf('?popular=1')).toEqual(popular)
  expect(await keysOf('?popular=false')).toEqual(others)
  const page = await get('licenses?per_page=2&page=2')
  expect([page.body.map(({ key }: { key: string }) => key), page.headers['x-total']]).toEqual([['bsd-2-clause', 'bsd-3-clause'], '7'])
  expect((await get('licenses?popular=perhaps')).body).toEqual({ error: 'popular is invalid' })
})

test('a licence says what it asks for and allows', async () => {
  const { status, body } = await get('licenses/mit')
  expect([status, body]).toEqual([
    200,
    {
      key: 'mit',
      name: 'MIT License',
      nickname: null,
      popular: true,
      html_url: 'https://spdx.org/licenses/MIT.html',
      source_url: 'https://opensource.org/licenses/MIT',
      description: expect.stringContaining('notice'),
      conditions: ['include-copyright'],
      permissions: ['commercial-use', 'modifications', 'distribution', 'private-use'],
      limitations: ['liability', 'warranty'],
      content: expect.stringContaining(`Copyright (c) ${year} [fullname]`),
    },
  ])
})

/** Taken of the texts as their authors publish them. Whoever changes a word of a licence changes the licence. */
test.each([
  ['0bsd', '60b9ca1078704d9b5e5678f626f30648f265d57def3fa739c88885bc2c613831'],
  ['apache-2.0', '0ffddef9e48f8a09aed5caf2d44f7ba1c1be2d9b8e0a6f693b1635b2d5566645'],
  ['bsd-2-clause', '81e337a2381ecb96f35de06273318bf3977ac06cde10330e82a45cc48ad0e1f9'],
  ['bsd-3-clause', '31e33aba2e9dce6f45273843bef70b36bd1c1becf6a52ec10350b0b5352ee5a7'],
  ['isc', 'ff33440440f0b3633027ee79b29aaa26f97824a748239e15ee23d740f3b2f234'],
  ['mit', 'c6c34df041f56fa49263c56da640381fc52cc1d86dfa95a99f2fe8a7b83e2137'],
  ['unlicense', '5a96e1ae907028ad1caf75a69b30ccd002d8e0806b91b38a5f5ad05603b7f392'],
])('the text of %s is word for word the one its authors publish', async (key, digest) => {
  const list = (await get('licenses')).body as Array<{ key: string; content: string }>
  const words =
    list
      .find((license) => license.key === key)
      ?.content.split(/\s+/)
      .join(' ')
      .trim() ?? ''
  expect(createHash('sha256').update(words).digest('hex')).toBe(digest)
})

test('the holder of the copyright is who is named, otherwise who asks', async () => {
  const ada = await forge.user({ name: 'Ada $& Lovelace' })
  const firstLines = async (client: typeof forge.anonymous, query = '') =>
    (await client.get(`/templates/licenses/bsd-3-clause${query}`)).body.content.split('\n')[2]
  expect(await firstLines(forge.as(ada))).toBe(`Copyright (c) ${year}, Ada $& Lovelace`)
  expect(await firstLines(forge.as(ada), '?fullname=Bob')).toBe(`Copyright (c) ${year}, Bob`)
  expect(await firstLines(forge.as(ada), '?fullname=')).toBe(`Copyright (c) ${year}, Ada $& Lovelace`)
  expect(await firstLines(forge.anonymous)).toBe(`Copyright (c) ${year}, [fullname]`)
  const { body } = await get('licenses/apache-2.0?fullname=Ada')
  expect(body.content).toContain(`Copyright ${year} Ada\n`)
  expect(body.content).not.toMatch(/\[(yyyy|name of copyright owner)\]/)
})

test('a licence that names the project gets its name', () => {
  expect(fillIn('[project] (c) [year] [fullname]', { year: '2026', project: 'Mine' })).toBe('Mine (c) 2026 [fullname]')
  expect(fillIn('[project]', { year: '2026' })).toBe('[project]')
})

test.each([
  ['gitignores', 17, 'Ruby', '*.gem'],
  ['gitlab_ci_ymls', 7, 'Node', 'npm test'],
  ['dockerfiles', 5, 'Node', 'FROM node'],
])('anybody lists %s by name, and gets each with its text', async (kind, count, name, part) => {
  const list = await get(`${kind}?per_page=100`)
  const names = list.body.map((one: { name: string }) => one.name)
  expect([names.length, names]).toEqual([count, [...names].sort()])
  expect(list.body[0]).toEqual({ name: names[0] })
  for (const each of names) {
    const { status, body } = await get(`${kind}/${encodeURIComponent(each)}`)
    expect([each, status, body]).toEqual([each, 200, { name: each, content: expect.stringMatching(/\S\n$/) }])
  }
  expect((await get(`${kind}/${name}`)).body.content).toContain(part)
})

test('what describes a pipeline begins by saying that it is a template', async () => {
  for (const { name } of (await get('gitlab_ci_ymls')).body) {
    expect((await get(`gitlab_ci_ymls/${name}`)).body.content).toMatch(/^# This file is a template, .*\n# /)
  }
})

test.each([
  ['licenses', 'License'],
  ['gitignores', 'gitignore'],
  ['gitlab_ci_ymls', 'gitlab_ci_yml'],
  ['dockerfiles', 'dockerfile'],
])('of %s, what is not there is 404', async (kind, resource) => {
  for (const name of ['no-such', 'constructor', '__proto__', 'NODE', '..%2F..%2Fpackage.json', '%00', 'Node%00']) {
    const { status, body } = await get(`${kind}/${name}`)
    expect([name, status, body]).toEqual([name, 404, { message: `404 ${resource} Not Found` }])
  }
})

test('nobody changes any', async () => {
  expect((await forge.as(forge.root).post('/templates/licenses', { key: 'x' })).status).toBe(405)
  expect((await forge.as(forge.root).put('/templates/gitignores/Node', { content: 'x' })).status).toBe(405)
})
