/** A tag and a branch of one name, a tag named as a folder of a branch: every link leads to what it was made for. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git, gitWriting } from '../../../../test/support/git.ts'

let forge: Forge
let visitor: Browser
let project: TestProject
let tagged: string
let branched: string

beforeAll(async () => {
  forge = await testForge()
  visitor = browserOf(forge.server)
  project = await forge.project({
    visibility: 'public',
    commits: ['tagged', 'branched'].map((word) => ({ message: `Say ${word}`, files: { 'src/a': `${word}\n`, README: word } })),
  })
  ;[branched, tagged] = (await git(project.dir, 'rev-list', 'main')).split('\n') as [string, string]
  const refs = [
    ['refs/heads/v1', branched],
    ['refs/tags/v1', tagged],
    ['refs/tags/main/src', tagged],
    [`refs/tags/${branched}/src`, tagged],
    [`refs/heads/${tagged}/src`, branched],
  ]
  await gitWriting(project.dir, refs.map(([ref, oid]) => `update ${ref} ${oid}\n`).join(''), 'update-ref', '--stdin')
  await forge.as(forge.root).post(`/projects/${project.id}/releases`, { tag_name: 'v1', description: 'One' })
})

const below = (rest: string) => `/${project.full_path}/${rest}`

/** The commit that an address is about: of an archive by its name, of a page by its permalink, of a history by its first row. */
async function commitAt(address: string): Promise<string | undefined> {
  const { text, headers, status } = await visitor.get(address)
  expect([address, status]).toEqual([address, 200])
  const name = String(headers['content-disposition'] ?? '')
  const [found] = [...(/-([0-9a-f]{40})\./.exec(name) ?? /rel="canonical" href="[^"]*\/([0-9a-f]{40})/.exec(text) ?? []).slice(1)]
  return found ?? [tagged, branched].sort((one, other) => firstIn(text, one) - firstIn(text, other))[0]
}

const firstIn = (text: string, part: string) => (text.includes(part) ? text.indexOf(part) : Number.POSITIVE_INFINITY)

/** The addresses on a page that name `v1` for what it has. */
function linksIn(text: string): string[] {
  const links = [...text.matchAll(/(?:href|url)="([^"]*\/(?:tree|commits|-\/archive)\/[^"]*v1[^"]*)"/g)].map(([, link]) => String(link))
  return [...new Set(links.map((link) => link.replace(forge.app.config.url, '').replaceAll('&amp;', '&')))]
}

test.each(['tags', 'tags/v1', 'releases', 'releases/v1', 'tags.atom'])(
  '%s leads to the tag, though a branch is called like it',
  async (page) => {
    const links = linksIn((await visitor.get(below(page))).text)
    expect(links.length).toBeGreaterThan(0)
    for (const link of links) expect([link, await commitAt(link)]).toEqual([link, tagged])
  },
)

test.each(['branches', 'refs/switch?ref=v', 'network/main', 'search?scope=refs&search=v1'])('%s leads to each of both', async (page) => {
  const address = page.startsWith('search') ? `/${page}&project_id=${project.id}` : below(page)
  const links = linksIn((await visitor.get(address)).text)
  const commits = await Promise.all(links.map(commitAt))
  for (const [index, link] of links.entries())
    expect([link, commits[index]]).toEqual([link, link.includes('refs/tags/v1') || link.includes('refs%2Ftags%2Fv1') ? tagged : branched])
  expect(commits).toContain(branched)
})

test('the sources of a release are those of its tag, in names that don’t tell of it', async () => {
  const { body } = await forge.anonymous.get(`/projects/${project.id}/releases/v1`)
  for (const { url, format } of body.assets.sources) {
    const { headers } = await visitor.get(url.replace(forge.app.config.url, ''))
    expect(headers['content-disposition']).toContain(`${project.path}-v1-${tagged}.${format}`)
  }
})

test('a folder in an address is never taken for a part of the name of a ref', async () => {
  expect((await visitor.get(below('raw/main/src/a'))).text).toBe('branched\n')
  expect((await visitor.get(below(`raw/${branched}/src/a`))).text).toBe('branched\n')
  expect((await visitor.get(below(`raw/${tagged}/src/a`))).text).toBe('tagged\n')
  expect(await commitAt(below('tree/refs/tags/main/src/src'))).toBe(tagged)
})
