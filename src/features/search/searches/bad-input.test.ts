/** Searches that are hard on the server: empty, very long, full of signs, or for what is everywhere. All are answered soon, and told. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { maxSearch_chars } from '../../planning/issuables/issuables.ts'
import { tendIndexJob } from '../code-index/code-index.jobs.ts'

let forge: Forge
let owner: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
  project = await forge.project({
    owner,
    files: { 'a.txt': 'a.*b\naxxb\n(unclosed [\n', 'everywhere.txt': 'everywhere\n'.repeat(1_000_000), 'b/c.txt': '-e --help\n' },
  })
  await forge.issue(project, owner, { title: 'a.*b (unclosed', description: '100%_sure' })
  await tendIndexJob.handle(forge.app, {})
  await forge.drain()
})

const levels = {
  '/search': ['projects', 'issues', 'merge_requests', 'milestones', 'snippet_titles', 'snippet_blobs', 'users', 'blobs'],
  '/projects/:id/search': ['issues', 'merge_requests', 'milestones', 'notes', 'wiki_blobs', 'commits', 'blobs', 'users'],
}

async function search(path: string, scope: string, text: string) {
  return forge.as(owner).get(`${path.replace(':id', String(project.id))}?scope=${scope}&search=${encodeURIComponent(text)}`)
}

test.each(Object.entries(levels))('%s finds nothing for an empty search, of any scope', async (path, scopes) => {
  for (const scope of scopes) {
    for (const text of ['', '   ', '\t\n']) {
      const { status, body } = await search(path, scope, text)
      expect([scope, text, status, body]).toEqual([scope, text, 200, []])
    }
  }
})

test.each(Object.entries(levels))(
  '%s takes signs as they are: no pattern, no option, no query',
  inFullRun('2 s of processor. A search for signs finds what has them, below.'),
  async (path, scopes) => {
    const hard = [
      '.*',
      'a.*b',
      '(unclosed [',
      '[a-z]+$',
      '--help',
      '-e',
      '%',
      '_%_',
      '"',
      '""',
      'NEAR(a b)',
      '* OR *',
      "'; drop table",
      '\\',
      '\u{1F600}'.repeat(3),
    ]
    for (const scope of scopes) {
      for (const text of hard) {
        const { status } = await search(path, scope, text)
        // Three bytes are the least that the index of code takes.
        expect([scope, text, status]).toEqual([
          scope,
          text,
          scope === 'blobs' && path === '/search' && Buffer.byteLength(text) < 3 ? 400 : 200,
        ])
      }
    }
  },
)

test('a search for signs finds what has them, and nothing that a pattern would find', async () => {
  const linesOf = async (path: string, text: string) => (await search(path, 'blobs', text)).body.map(({ path }: { path: string }) => path)
  for (const path of Object.keys(levels)) {
    expect([path, await linesOf(path, 'a.*b')]).toEqual([path, ['a.txt']])
    expect([path, await linesOf(path, '--help')]).toEqual([path, ['b/c.txt']])
    expect([path, await linesOf(path, 'a..b')]).toEqual([path, []])
    expect([path, (await search(path, 'issues', 'a.*b')).body.length]).toEqual([path, 1])
    expect([path, (await search(path, 'issues', '0%_s')).body.length]).toEqual([path, 1])
    expect([path, (await search(path, 'issues', '0%s')).body.length]).toEqual([path, 0])
  }
})

test('ten thousand words are too many, and the longest search there is is answered', async () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ')
  for (const [path, scopes] of Object.entries(levels)) {
    for (const scope of scopes) {
      const { status } = await search(path, scope, words(10_000))
      expect([path, scope, [400, 414, 431].includes(status)]).toEqual([path, scope, true])
      expect([path, scope, (await search(path, scope, words(1_000).slice(0, maxSearch_chars))).status]).toEqual([path, scope, 200])
    }
  }
})

test('a text in every line of a large file is shown at its first places, and a header tells that results are incomplete', async () => {
  const { body, headers } = await search('/projects/:id/search', 'blobs', 'everywhere')
  expect(body[0]).toMatchObject({ path: 'everywhere.txt', startline: 1 })
  expect(body[0].data.length).toBeLessThanOrEqual(8 * 1024)
  expect(headers['x-search-incomplete']).toBe('true')
  expect((await search('/projects/:id/search', 'blobs', 'unclosed')).headers['x-search-incomplete']).toBeUndefined()
})

test('files of which there are too many to show are told, and no page is beyond them', async () => {
  const many = await forge.project({
    owner,
    files: Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`many-${index}.txt`, 'wallaroo\n'])),
  })
  await tendIndexJob.handle(forge.app, {})
  await forge.drain()
  for (const path of [`/projects/${many.id}/search`, '/search']) {
    const { body, headers } = await forge.as(owner).get(`${path}?scope=blobs&search=wallaroo&per_page=100`)
    expect([path, body.length, headers['x-search-incomplete']]).toEqual([path, 100, 'true'])
    expect((await forge.as(owner).get(`${path}?scope=blobs&search=wallaroo&per_page=100&page=2`)).body).toEqual([])
  }
})
