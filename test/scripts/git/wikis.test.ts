/** Wikis cloned, edited and pushed by git, over both protocols, and read by the API. */
import { expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../support/forge.ts'
import { git, tryGit } from '../../support/git.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { hasSsh, keyOf, sshHost, withKey } from '../../support/ssh.ts'
import { clone, commit, workTree } from './wire.ts'

const wikiOf = ({ full_path }: { full_path: string }) => `${full_path}.wiki`

async function prepared(visibility: 'private' | 'internal' | 'public' = 'private') {
  const forge = await testForge()
  const [guest, reporter, developer, maintainer] = [await forge.user(), await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ guest, reporter, developer, maintainer, visibility })
  return { forge, guest, reporter, developer, maintainer, project, at: `/projects/${project.id}/wikis` }
}

async function remoteOf(forge: Forge, project: TestProject | { full_path: string }, user: TestUser, protocol: 'http' | 'ssh') {
  return protocol === 'http'
    ? { remote: await forge.remote(wikiOf(project), user), options: [] }
    : { remote: (await sshHost()).remote(wikiOf(project)), options: withKey(await keyOf(user)) }
}

for (const protocol of ['http', 'ssh'] as const) {
  const notBySsh =
    protocol === 'ssh' ? inFullRun('0.3 s of processor. Both protocols come to the same rules, which are tried over HTTP.') : {}
  const onBoth = test.skipIf(protocol === 'ssh' && !hasSsh)

  onBoth(`over ${protocol}, a wiki is cloned, edited, pushed back and read by the API, and the other way`, async () => {
    const { forge, developer, project, at } = await prepared()
    await forge.as(developer).post(at, { title: 'home', content: 'Hello' })
    const { remote, options } = await remoteOf(forge, project, developer, protocol)
    const dir = await forge.folder()
    await git(dir, ...options, 'clone', '--quiet', remote, dir)
    await commit(dir, { 'docs/setup.rdoc': '= Setup', 'home.md': 'Hello again' }, 'Write more')
    await git(dir, ...options, 'push', '--quiet', 'origin', 'HEAD')
    const listed = (await forge.as(developer).get(`${at}?with_content=1`)).body
    expect(listed).toMatchObject([
      { slug: 'home', content: 'Hello again' },
      { slug: 'docs/setup', format: 'rdoc', content: '= Setup' },
    ])
    await forge.as(developer).put(`${at}/home`, { content: 'By the API' })
    await git(dir, ...options, 'pull', '--quiet')
    expect(await git(dir, 'show', 'HEAD:home.md')).toBe('By the API')
  })

  onBoth(`over ${protocol}, an empty wiki is cloned, and its first push decides where pages are read from`, notBySsh, async () => {
    const { forge, developer, project, at } = await prepared()
    const { remote, options } = await remoteOf(forge, project, developer, protocol)
    const dir = await workTree({ 'home.md': 'First' })
    expect(await git(dir, ...options, 'ls-remote', remote)).toBe('')
    await git(dir, ...options, 'push', '--quiet', remote, 'main:refs/heads/pages')
    expect((await forge.as(developer).get(`${at}/home`)).body.content).toBe('First')
    expect(await git(dir, ...options, 'ls-remote', '--symref', remote, 'HEAD')).toContain('refs/heads/pages')
  })

  onBoth(`over ${protocol}, readers push nothing, guests of a private project clone nothing`, notBySsh, async () => {
    const { forge, guest, reporter, developer, project, at } = await prepared()
    await forge.as(developer).post(at, { title: 'home', content: 'Hello' })
    const of = (user: TestUser) => remoteOf(forge, project, user, protocol)
    const dir = await workTree()
    const byReporter = await of(reporter)
    await git(dir, ...byReporter.options, 'fetch', '--quiet', byReporter.remote, 'main')
    const push = await tryGit(dir, ...byReporter.options, 'push', byReporter.remote, 'HEAD:refs/heads/other')
    expect(push.stderr).toContain('You are not allowed to push to this wiki.')
    const byGuest = await of(guest)
    expect((await tryGit(dir, ...byGuest.options, 'ls-remote', byGuest.remote)).stderr).toContain(
      'You are not allowed to download this wiki.',
    )
    const stranger = await of(await forge.user())
    expect((await tryGit(dir, ...stranger.options, 'ls-remote', stranger.remote)).stderr).toContain('could not be found')
  })
}

test('anybody clones the wiki of a public project, nobody one that is disabled or for members', async () => {
  const { forge, developer, maintainer, project, at } = await prepared('public')
  await forge.as(developer).post(at, { title: 'home', content: 'Hello' })
  const dir = await clone(await forge.remote(wikiOf(project)))
  expect(await git(dir, 'show', 'HEAD:home.md')).toBe('Hello')
  await forge.as(maintainer).put(`/projects/${project.id}`, { wiki_access_level: 'private' })
  expect((await tryGit(dir, '-c', 'credential.helper=', 'ls-remote', await forge.remote(wikiOf(project)))).code).not.toBe(0)
  expect(await git(dir, 'ls-remote', await forge.remote(wikiOf(project), developer))).toContain('refs/heads/main')
  await forge.as(maintainer).put(`/projects/${project.id}`, { wiki_access_level: 'disabled' })
  expect((await tryGit(dir, 'ls-remote', await forge.remote(wikiOf(project), maintainer))).code).not.toBe(0)
})

test('the branch of the pages is not deleted, nor forced by a developer; a maintainer may force it', async () => {
  const { forge, developer, maintainer, project, at } = await prepared()
  await forge.as(developer).post(at, { title: 'home', content: 'Hello' })
  const dir = await workTree({ 'home.md': 'Other history' })
  const remote = await forge.remote(wikiOf(project), developer)
  const forced = await tryGit(dir, 'push', '--force', remote, 'HEAD:main')
  expect(forced.stderr).toContain('You are not allowed to force push to the default branch of a wiki.')
  expect((await tryGit(dir, 'push', remote, ':main')).stderr).toContain('The default branch of a wiki cannot be deleted.')
  await git(dir, 'push', '--quiet', '--force', await forge.remote(wikiOf(project), maintainer), 'HEAD:main')
  expect((await forge.as(developer).get(`${at}/home`)).body.content).toBe('Other history')
})

test(
  'a wiki of 10,000 pages is pushed and listed, and links to other files are no pages',
  inFullRun('7 s of processor. The others push wikis of few pages.'),
  async () => {
    const { forge, developer, project, at } = await prepared()
    const files = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`part-${index % 100}/page-${index}.md`, `Page ${index}`]),
    )
    const dir = await workTree({ ...files, 'picture.png': 'x', README: 'x' })
    await git(dir, 'config', 'core.symlinks', 'true')
    const target = (await git(dir, 'hash-object', '-w', 'picture.png')).trim()
    await git(dir, 'update-index', '--add', '--cacheinfo', `120000,${target},secret.md`)
    await git(dir, 'commit', '--quiet', '-m', 'A link')
    await git(dir, 'push', '--quiet', await forge.remote(wikiOf(project), developer), 'main')
    // All of them, as in the reference.
    const list = await forge.as(developer).get(`${at}?with_content=1`)
    expect([list.status, list.headers['x-total'], list.body.length]).toEqual([200, undefined, 10_000])
    expect((await forge.as(developer).get(`${at}/secret`)).status).toBe(404)
  },
)

test('the wiki of a group is pushed and read', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const group = await forge.group({ developer })
  const dir = await workTree({ 'home.md': 'Ours' })
  await git(dir, 'push', '--quiet', await forge.remote(wikiOf(group), developer), 'main')
  expect((await forge.as(developer).get(`/groups/${group.id}/wikis/home`)).body.content).toBe('Ours')
})

test(
  'a wiki goes where its project goes, and is gone with it',
  inFullRun('1 s of processor. `wikis.test.ts` of the feature and `carried.test.ts` have what becomes of wikis.'),
  async () => {
    const { forge, developer, maintainer, project, at } = await prepared()
    await forge.as(developer).post(at, { title: 'home', content: 'Hello' })
    const before = await forge.remote(wikiOf(project), developer)
    await forge.as(maintainer).put(`/projects/${project.id}`, { path: `${project.path}-moved` })
    const dir = await clone(before)
    expect(await git(dir, 'show', 'HEAD:home.md')).toBe('Hello')
    await git(dir, 'ls-remote', await forge.remote(`${project.full_path}-moved.wiki`, developer))
    const wiki = await forge.app.db.selectFrom('wikis').select('id').where('project_id', '=', project.id).executeTakeFirstOrThrow()
    await forge.as(forge.root).delete(`/projects/${project.id}`)
    expect((await tryGit(dir, 'ls-remote', before)).code).not.toBe(0)
    await forge.drain()
    expect((await tryGit(forge.app.git.openWiki(wiki.id).dir, 'rev-parse', 'HEAD')).code).not.toBe(0)
  },
)
