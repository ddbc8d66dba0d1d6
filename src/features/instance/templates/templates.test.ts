/** Templates: which there are, that licences are whole, and whose names stand in them. */
import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { parseDocument } from 'yaml'
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
  const popular = ['apache-2.0', 'gpl-3.0', 'mit']
  const others = ['agpl-3.0', 'bsd-2-clause', 'bsd-3-clause', 'epl-2.0', 'gpl-2.0', 'lgpl-2.1', 'lgpl-3.0', 'mpl-2.0', 'unlicense']
  expect(await keysOf('')).toEqual([...popular, ...others].sort())
  expect(await keysOf('?popular=true')).toEqual(popular)
  expect(await keysOf('?popular=1')).toEqual(popular)
  expect(await keysOf('?popular=false')).toEqual(others)
  const page = await get('licenses?per_page=2&page=2')
  expect([page.body.map(({ key }: { key: string }) => key), page.headers['x-total']]).toEqual([['bsd-2-clause', 'bsd-3-clause'], '12'])
  expect((await get('licenses?popular=perhaps')).body).toEqual({ error: 'popular is invalid' })
})

test('a licence lists its conditions, permissions and limitations', async () => {
  const { status, body } = await get('licenses/mit')
  expect([status, body]).toEqual([
    200,
    {
      key: 'mit',
      name: 'MIT License',
      nickname: null,
      popular: true,
      html_url: 'http://choosealicense.com/licenses/mit/',
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
  ['apache-2.0', '0ffddef9e48f8a09aed5caf2d44f7ba1c1be2d9b8e0a6f693b1635b2d5566645'],
  ['bsd-2-clause', '81e337a2381ecb96f35de06273318bf3977ac06cde10330e82a45cc48ad0e1f9'],
  ['bsd-3-clause', '31e33aba2e9dce6f45273843bef70b36bd1c1becf6a52ec10350b0b5352ee5a7'],
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

test('the copyright holder is the given name, or the caller', async () => {
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

test.each([
  ['agpl-3.0', 'GNU AFFERO GENERAL PUBLIC LICENSE', 'GNU AGPLv3'],
  ['gpl-2.0', 'GNU GENERAL PUBLIC LICENSE', 'GNU GPLv2'],
  ['gpl-3.0', 'GNU GENERAL PUBLIC LICENSE', 'GNU GPLv3'],
  ['lgpl-2.1', 'GNU LESSER GENERAL PUBLIC LICENSE', 'GNU LGPLv2.1'],
  ['lgpl-3.0', 'GNU LESSER GENERAL PUBLIC LICENSE', 'GNU LGPLv3'],
])('%s has the whole text of the list of SPDX, with project and holder filled in', async (key, title, nickname) => {
  const { body } = await get(`licenses/${key}?project=My+Engine&fullname=Ada`)
  expect([body.nickname, body.content.startsWith(title)]).toEqual([nickname, true])
  expect(body.content).toContain('My Engine')
  expect(body.content).toMatch(new RegExp(`Copyright \\(C\\) ${year} +Ada`))
  expect(body.content).not.toMatch(/name of author|one line to give/)
  const plain = (await get(`licenses/${key}`)).body.content
  expect([plain.length > 15_000, /name of author/.test(plain), /one line to give/.test(plain)]).toEqual([true, true, true])
})

test('a licence that names the project gets its name', () => {
  expect(fillIn('[project] (c) [year] [fullname]', { year: '2026', project: 'Mine' })).toBe('Mine (c) 2026 [fullname]')
  expect(fillIn('[project]', { year: '2026' })).toBe('[project]')
})

test.each([
  ['gitignores', 17, 'Ruby', '*.gem'],
  ['gitlab_ci_ymls', 43, 'Nodejs', 'npm test'],
  ['dockerfiles', 17, 'Binary', 'FROM debian'],
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

test('pipeline templates are valid YAML and begin with a comment naming them', async () => {
  for (const { name } of (await get('gitlab_ci_ymls?per_page=100')).body) {
    const { content } = (await get(`gitlab_ci_ymls/${encodeURIComponent(name)}`)).body
    expect(content).toMatch(/^# This file is a template, .*\n# /)
    const { image, services, variables, cache, before_script, stages, ...jobs } = parseDocument(content, { strict: true }).toJS()
    expect([name, parseDocument(content).errors, Array.isArray(stages)]).toEqual([name, [], true])
    const lists = [services, cache?.paths, before_script].filter((list) => list !== undefined)
    for (const [job, { stage, script, artifacts, when }] of Object.entries<Record<string, never>>(jobs)) {
      expect([name, job, stages.includes(stage), when ?? 'manual']).toEqual([name, job, true, 'manual'])
      lists.push(script, (artifacts as { paths: string[] } | undefined)?.paths ?? [''])
    }
    for (const list of lists) for (const item of list) expect([name, typeof item]).toEqual([name, 'string'])
    for (const value of Object.values(variables ?? {})) expect(typeof value).toBe('string')
    expect(Object.keys(jobs).length).toBeGreaterThan(0)
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

test('templates are read-only', async () => {
  expect((await forge.as(forge.root).post('/templates/licenses', { key: 'x' })).status).toBe(405)
  expect((await forge.as(forge.root).put('/templates/gitignores/Node', { content: 'x' })).status).toBe(405)
})
