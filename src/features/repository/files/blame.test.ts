/** Blame through the API; that it is git's is shown in git/. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

let forge: Forge
let project: TestProject
const address = (path: string, query = 'ref=main') =>
  `/projects/${project.id}/repository/files/${encodeURIComponent(path)}/blame${query ? `?${query}` : ''}`
const get = (path: string, query?: string) => forge.as(forge.root).get(address(path, query))

beforeAll(async () => {
  forge = await testForge()
  project = await forge.project({
    commits: [
      {
        message: 'First\n\nBody',
        files: { 'a/text': 'one\ntwo\nthree\n', binary: Buffer.from([0, 10, 255]), empty: '', unended: 'a\r\nb' },
      },
      { message: 'Second', files: { 'a/text': 'one\nTWO\nthree\n' } },
      { message: 'Large', files: { large: 'x'.repeat(4 * 1024 * 1024 + 1), long: '\n'.repeat(200_001), wide: '\n'.repeat(200_000) } },
    ],
  })
})

test('blame gives ranges of lines in order, each with its commit', async () => {
  const [first, second] = [await git(project.dir, 'rev-parse', 'main~2'), await git(project.dir, 'rev-parse', 'main~1')]
  const { status, body } = await get('a/text')
  const ada = { author_name: 'Ada', author_email: 'ada@example.com', committer_name: 'Ada', committer_email: 'ada@example.com' }
  const at = async (oid: string) => {
    const date = new Date(await git(project.dir, 'show', '--no-patch', '--format=%aI', oid)).toISOString()
    return { ...ada, authored_date: date, committed_date: date }
  }
  const one = { id: first, parent_ids: [], message: 'First\n\nBody', ...(await at(first)) }
  const two = { id: second, parent_ids: [first], message: 'Second', ...(await at(second)) }
  expect([status, body]).toEqual([
    200,
    [
      { commit: one, lines: ['one'] },
      { commit: two, lines: ['TWO'] },
      { commit: one, lines: ['three'] },
    ],
  ])
})

test('blame at an older commit shows the state of then', async () => {
  const { body } = await get('a/text', 'ref=main~2')
  expect(body.map(({ lines }: { lines: string[] }) => lines)).toEqual([['one', 'two', 'three']])
})

test('empty files, binary files and files without a final newline are blamed', async () => {
  expect((await get('empty')).body).toEqual([])
  expect((await get('binary')).body).toMatchObject([{ lines: ['\0', '\ufffd'] }])
  expect((await get('unended')).body).toMatchObject([{ lines: ['a\r', 'b'] }])
})

test('its headers are those of the file, with HEAD too, and HEAD blames nothing', async () => {
  const { headers } = await forge.as(forge.root).head(`/projects/${project.id}/repository/files/a%2Ftext?ref=main`)
  const expected = Object.fromEntries(Object.entries(headers).filter(([name]) => /^x-(service|gitlab)-/.test(name)))
  expect(Object.keys(expected)).toHaveLength(18)
  expect((await get('a/text')).headers).toMatchObject(expected)
  const head = await forge.as(forge.root).head(address('a/text'))
  expect([head.status, head.text]).toEqual([200, ''])
  expect(head.headers).toMatchObject(expected)
  expect((await forge.as(forge.root).head(address('large'))).status).toBe(200)
})

test('a file over the limit is rejected with the reason, and one at the limit is blamed', { timeout: 30_000 }, async () => {
  for (const path of ['large', 'long']) {
    const { status, body } = await get(path)
    expect([path, status, body]).toEqual([path, 413, { message: '413 The file is too large to blame' }])
  }
  const { status, body } = await get('wide')
  expect([status, body.length, body[0].lines.length]).toEqual([200, 1, 200_000])
})

test('what is no file, and what is no commit, is not found', async () => {
  for (const path of ['none', 'a', 'a/../a/text', '-n', 'a/text/x', 'x'.repeat(5_000)]) {
    expect([path, (await get(path)).body]).toEqual([path, { message: '404 File Not Found' }])
  }
  for (const ref of ['none', '-n', 'main..main', 'f'.repeat(40)]) {
    const { status, body } = await get('a/text', `ref=${ref}`)
    expect([ref, status, body]).toEqual([ref, 404, { message: '404 Commit Not Found' }])
  }
  expect((await get('a/text', '')).body).toEqual((await get('a/text')).body)
})
