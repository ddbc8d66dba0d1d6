/** Lists of branches, tags and files as today's clients walk them: by patterns, by versions, and from token to token. */
import { beforeAll, expect, test } from 'vitest'
import type { Answer } from '../../../../test/support/client.ts'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git, gitReading } from '../../../../test/support/git.ts'
import { regexFilter } from './regex-filter.ts'

let forge: Forge
let project: TestProject
const get = (path: string) => forge.as(forge.root).get(`/projects/${project.id}/repository/${path}`)
const names = ({ body }: Answer): string[] => body.map(({ name }: { name: string }) => name)

beforeAll(async () => {
  forge = await testForge()
  const files = Object.fromEntries(['b', 'a', 'dir/x', 'dir/y', 'é'].map((path) => [path, path]))
  project = await forge.project({ commits: [{ files }] })
  const refs = ['feature/1', 'feature/22', 'fix-x', 'ü'].map((name) => `create refs/heads/${name} main\n`)
  const tags = ['v1.10.0', 'v1.9.0', 'v1.2.0', 'v2'].map((name) => `create refs/tags/${name} main\n`)
  await gitReading(project.dir, [...refs, ...tags].join(''), 'update-ref', '--stdin')
})

/** The list page by page, each from the link of the one before. */
async function walk(path: string): Promise<string[][]> {
  const pages: string[][] = []
  const home = `${forge.app.config.url}/api/v4`
  for (let url: string | undefined = `/projects/${project.id}/repository/${path}`; url !== undefined; ) {
    const answer: Answer = await forge.as(forge.root).get(url)
    expect([url, answer.status, answer.headers['x-total']]).toEqual([url, 200, undefined])
    pages.push(answer.body.map(({ path, name }: { path?: string; name: string }) => path ?? name))
    url = /^<(.*)>; rel="next"$/.exec(answer.headers.link ?? '')?.[1]?.slice(home.length)
  }
  return pages
}

test('branches are found by an RE2 pattern', async () => {
  expect(names(await get(`branches?regex=${encodeURIComponent('^feature/\\d+$')}`))).toEqual(['feature/1', 'feature/22'])
  expect(names(await get('branches?regex=x'))).toEqual(['fix-x'])
  const counted = await get('branches?regex=e&per_page=1')
  expect([names(counted), counted.headers['x-total']]).toEqual([['feature/1'], '2'])
  for (const [query, error] of [
    ['regex=(', 'regex is invalid'],
    [`regex=${encodeURIComponent('(?=a)')}`, 'regex is invalid'],
    [`regex=${encodeURIComponent('(a)\\1')}`, 'regex is invalid'],
    [`regex=${encodeURIComponent('a{1001}')}`, 'regex is invalid'],
    [`regex=${'a'.repeat(201)}`, 'regex is too long'],
    ['regex=a&search=b', 'search, regex are mutually exclusive'],
  ]) {
    const answer = await get(`branches?${query}`)
    expect([query, answer.status, answer.body]).toEqual([query, 400, { error }])
  }
})

test('no pattern takes long or blocks the event loop', async () => {
  const many = Array.from({ length: 2_000 }, () => `${'a'.repeat(60)}b`)
  for (const pattern of ['(a+)+$', '(a|a)*$', '(.*)*$', '(x+x+)+y']) {
    let turns = 0
    const ticking = setInterval(() => (turns += 1), 1)
    const matched = await regexFilter(pattern)(many).catch((error: { code: string }) => error.code)
    clearInterval(ticking)
    expect([pattern, Array.isArray(matched) || matched === 'unprocessable']).toEqual([pattern, true])
    if (Array.isArray(matched) && pattern !== '(x+x+)+y') expect(turns).toBeGreaterThan(0)
  }
})

test('tags are sorted by version', async () => {
  expect(names(await get('tags?order_by=version&sort=asc'))).toEqual(['v1.2.0', 'v1.9.0', 'v1.10.0', 'v2'])
  expect(names(await get('tags?order_by=version&per_page=2&page=2'))).toEqual(['v1.9.0', 'v1.2.0'])
  expect((await get('tags?order_by=date')).status).toBe(400)
})

test('branches, tags and files page by token', async () => {
  expect(await walk('branches?pagination=keyset&per_page=2')).toEqual([['feature/1', 'feature/22'], ['fix-x', 'main'], ['ü']])
  expect(await walk('branches?pagination=keyset&per_page=2&regex=f')).toEqual([['feature/1', 'feature/22'], ['fix-x']])
  expect(await walk('tags?pagination=keyset&per_page=3&order_by=version')).toEqual([['v2', 'v1.10.0', 'v1.9.0'], ['v1.2.0']])
  expect(await walk('tree?pagination=keyset&per_page=2')).toEqual([
    ['dir', 'a'],
    ['b', 'é'],
  ])
  expect(await walk('tree?pagination=keyset&per_page=2&recursive=true')).toEqual([
    ['dir', 'a'],
    ['b', 'dir/x'],
    ['dir/y', 'é'],
  ])
  expect(await walk('tree?pagination=keyset&path=dir&per_page=1')).toEqual([['dir/x'], ['dir/y']])
  expect((await get('branches?pagination=legacy')).headers['x-total']).toBe('5')
})

test('paging goes on past a branch deleted meanwhile', async () => {
  const token = Buffer.from('feature/1').toString('base64url')
  await git(project.dir, 'update-ref', '-d', 'refs/heads/feature/1')
  expect(names(await get(`branches?pagination=keyset&per_page=1&page_token=${token}`))).toEqual(['feature/22'])
  await git(project.dir, 'update-ref', 'refs/heads/feature/1', 'main')
})

test('a foreign page token is rejected', async () => {
  for (const list of ['branches', 'tags', 'tree']) {
    for (const token of ['%25', '..%2F', '!', 'YQ%3D%3D', 'a', '%00']) {
      const answer = await get(`${list}?pagination=keyset&page_token=${token}`)
      expect([list, token, answer.status]).toEqual([list, token, 400])
    }
    expect((await get(`${list}?pagination=offset`)).status).toBe(400)
  }
  const unknown = Buffer.from('none').toString('base64url')
  for (const list of ['tags', 'tree']) {
    const answer = await get(`${list}?pagination=keyset&page_token=${unknown}`)
    expect([list, answer.status, answer.body]).toEqual([list, 400, { message: '400 The page_token is no longer valid' }])
  }
})
