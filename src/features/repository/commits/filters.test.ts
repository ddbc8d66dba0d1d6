/** Filters of the list of commits: by author, along first parents, in the order of the graph; with addresses and trailers. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git, gitWriting } from '../../../../test/support/git.ts'

let forge: Forge
let project: TestProject
const get = (query: string) => forge.as(forge.root).get(`/projects/${project.id}/repository/commits${query}`)
const titles = async (query: string) => (await get(query)).body.map(({ title }: { title: string }) => title)

beforeAll(async () => {
  forge = await testForge()
  project = await forge.project({ commits: [{ message: 'Root', files: { a: 'a' } }] })
  const tree = await git(project.dir, 'rev-parse', 'main^{tree}')
  const root = await git(project.dir, 'rev-parse', 'main')
  const make = (message: string, name: string, at: number, ...parents: string[]) => {
    const person = `${name} <${name.toLowerCase()}@example.com> ${at} +0000`
    const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), `author ${person}`, `committer ${person}`, '', message]
    return gitWriting(project.dir, lines.join('\n'), 'hash-object', '-t', 'commit', '-w', '--stdin')
  }
  const one = await make('One', 'Ann', 2_000_000_001, root)
  const side = await make('Side', 'Ben', 2_000_000_002, root)
  const two = await make('Two', 'Ann', 2_000_000_003, one)
  const merge = await make('Merge\n\nReviewed-by: Ann\n', 'Ann', 2_000_000_004, two, side)
  await git(project.dir, 'update-ref', 'refs/heads/main', merge)
})

test('author is matched as text, not as a pattern', async () => {
  expect(await titles('?author=Ben')).toEqual(['Side'])
  expect(await titles('?author=ben@example.com')).toEqual(['Side'])
  for (const author of ['B.n', 'Ben$', '(a%2B)%2B', '--all', '%5C', 'nobody'])
    expect([author, await titles(`?author=${author}`)]).toEqual([author, []])
  const counted = await get('?author=Ann&per_page=1')
  expect([counted.headers['x-total'], counted.body.length]).toEqual(['3', 1])
  expect((await get(`?author=${'x'.repeat(256)}`)).status).toBe(400)
  expect((await get('?author=a%00b')).status).toBe(400)
})

test('along first parents, and in the order of the graph', async () => {
  expect(await titles('?first_parent=true')).toEqual(['Merge', 'Two', 'One', 'Root'])
  expect((await get('?first_parent=true')).headers['x-total']).toBe('4')
  expect(await titles('')).toEqual(['Merge', 'Two', 'Side', 'One', 'Root'])
  expect(await titles('?order=topo')).toEqual(['Merge', 'Side', 'Two', 'One', 'Root'])
  expect((await get('?order=random')).status).toBe(400)
})

test('with the address of each page and the trailers of each message, wherever commits are shown', async () => {
  const url = (path: string, id: string) => `${forge.app.config.url}/${path}/-/commit/${id}`
  const at = `/projects/${project.id}/repository`
  const { body: listed } = await get('?per_page=1&with_stats=true')
  expect(listed[0]).toMatchObject({ web_url: url(project.full_path, listed[0].id), trailers: { 'Reviewed-by': 'Ann' } })
  for (const path of ['commits/main', 'branches/main']) {
    const { body } = await forge.as(forge.root).get(`${at}/${path}`)
    expect((body.commit ?? body).web_url).toBe(url(project.full_path, listed[0].id))
  }
  const compared = await forge.as(forge.root).get(`${at}/compare?from=main~1&to=main`)
  expect(compared.body.commit.web_url).toBe(url(project.full_path, listed[0].id))
  // Commits are cached without the URL of their project, which may change.
  await forge.as(forge.root).put(`/projects/${project.id}`, { path: 'moved-away' })
  const moved = project.full_path.replace(/[^/]+$/, 'moved-away')
  expect((await get('?per_page=1')).body[0].web_url).toBe(url(moved, listed[0].id))
})
