import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openForge, testForge } from '../../support/forge.ts'
import { git, tryGit } from '../../support/git.ts'
import { cpuBudget } from '../../support/run/cpu.ts'
import { isGate } from '../../support/run/tiers.ts'
import { clone, commit, contentsOf, processesOn, workTree } from './wire.ts'

cpuBudget(6, 'Pushes by git.')

test('a push with a password, and one with a token, move the branch', async () => {
  const forge = await testForge()
  const maintainer = await forge.user({ password: 'correct horse' })
  const project = await forge.project({ maintainer })
  const remote = await forge.remote(project)
  const dir = await clone(await forge.remote(project, maintainer))
  for (const credentials of [
    `${maintainer.username}:correct%20horse`,
    `${maintainer.username}:${maintainer.token}`,
    `x:${maintainer.token}`,
  ]) {
    const head = await commit(dir, { 'a.txt': credentials })
    await git(dir, 'push', '--quiet', remote.replace('://', `://${credentials}@`), 'main')
    expect(await git(project.dir, 'rev-parse', 'main')).toBe(head)
  }
})

for (const version of ['0', '2']) {
  test(`with protocol version ${version}, branches and tags are made, forced and deleted`, async () => {
    const forge = await testForge()
    const project = await forge.project()
    const dir = await clone(await forge.remote(project, forge.root))
    const push = (...args: string[]) => git(dir, '-c', `protocol.version=${version}`, 'push', '--quiet', 'origin', ...args)
    const refs = async () => (await git(project.dir, 'for-each-ref', '--format=%(refname) %(objecttype)')).split('\n')

    await commit(dir, { 'a.txt': 'a' })
    await git(dir, 'tag', 'light')
    await git(dir, 'tag', '--message', 'said', 'heavy')
    await push('main', 'main:feature/ünïcode', 'light', 'heavy')
    expect(await refs()).toEqual([
      'refs/heads/feature/ünïcode commit',
      'refs/heads/main commit',
      'refs/tags/heavy tag',
      'refs/tags/light commit',
    ])

    await git(dir, 'commit', '--quiet', '--amend', '--message', 'Said better')
    const refused = await tryGit(dir, 'push', 'origin', 'main:feature/ünïcode')
    expect([refused.code, refused.stderr.includes('non-fast-forward')]).toEqual([1, true])
    await push('--force', 'main:feature/ünïcode')
    expect(await git(project.dir, 'rev-parse', 'feature/ünïcode')).toBe(await git(dir, 'rev-parse', 'HEAD'))

    await push('--delete', 'feature/ünïcode', 'heavy', 'light')
    expect(await refs()).toEqual(['refs/heads/main commit'])
  })
}

test('the default branch is not deleted by a push', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const before = await contentsOf(project.dir)
  const refused = await tryGit(await workTree(), 'push', await forge.remote(project, forge.root), ':main')
  expect([refused.code, refused.stderr.includes('The default branch of a project cannot be deleted.')]).toEqual([1, true])
  expect(await contentsOf(project.dir)).toEqual(before)
})

test('push options are taken', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  const dir = await workTree()
  await git(dir, 'push', '--quiet', '-o', 'ci.skip', '-o', 'other=value', await forge.remote(project, forge.root), 'main')
  expect(await git(project.dir, 'rev-parse', 'main')).toBe(await git(dir, 'rev-parse', 'main'))
})

test('an atomic push in which one ref is refused moves none', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const before = await contentsOf(project.dir)
  const dir = await workTree()
  const refused = await tryGit(dir, 'push', '--atomic', await forge.remote(project, forge.root), 'main', 'main:fresh')
  expect(refused.code).toBe(1)
  expect((await contentsOf(project.dir)).refs).toBe(before.refs)
})

test('the first push chooses the default branch: the one HEAD names, else main, master, or the first', async () => {
  const forge = await testForge()
  const dir = await workTree()
  const chosen = async (...branches: string[]) => {
    const project = await forge.project({ files: null })
    await git(dir, 'push', '--quiet', await forge.remote(project, forge.root), ...branches.map((name) => `main:refs/heads/${name}`))
    const { body } = await forge.as(forge.root).get(`/projects/${project.id}`)
    return [body.default_branch, await git(project.dir, 'symbolic-ref', 'HEAD')]
  }
  expect(await chosen('aaa', 'main', 'master')).toEqual(['main', 'refs/heads/main'])
  expect(await chosen('aaa', 'master')).toEqual(['master', 'refs/heads/master'])
  expect(await chosen('develop', 'work/in progress'.replace(' ', '-'))).toEqual(['develop', 'refs/heads/develop'])
})

test('a push of tags alone chooses no default branch; a later one of a branch does', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  const remote = await forge.remote(project, forge.root)
  const dir = await workTree()
  const shown = async () => (await forge.as(forge.root).get(`/projects/${project.id}`)).body

  await git(dir, 'push', '--quiet', remote, 'main:refs/tags/v1')
  expect(await shown()).toMatchObject({ default_branch: null, readme_url: null })
  await git(dir, 'push', '--quiet', remote, 'main:dev')
  const url = `http://gitstead.test/${project.full_path}/blob/dev/README.md`
  expect(await shown()).toMatchObject({ default_branch: 'dev', readme_url: url })
})

test('readme_url follows the README of the default branch as it comes, is renamed and goes', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  const remote = await forge.remote(project, forge.root)
  const dir = await workTree({ 'a.txt': 'a' })
  const pushed = async () => {
    await git(dir, 'push', '--quiet', remote, 'main')
    return (await forge.as(forge.root).get(`/projects/${project.id}`)).body.readme_url
  }
  expect(await pushed()).toBeNull()
  await commit(dir, { 'readme.rst': 'Read' })
  expect(await pushed()).toBe(`http://gitstead.test/${project.full_path}/blob/main/readme.rst`)
  await git(dir, 'rm', '--quiet', 'readme.rst')
  await commit(dir, {})
  expect(await pushed()).toBeNull()
})

test('what a push brought is seen by the API as soon as the push has ended', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const dir = await clone(await forge.remote(project, forge.root))
  const ask = (path: string) => forge.as(forge.root).get(`/projects/${project.id}/repository/${path}`)
  for (const text of ['one', 'two', 'three']) {
    const head = await commit(dir, { 'a.txt': text })
    await git(dir, 'push', '--quiet', 'origin', 'main', `main:${text}`)
    expect((await ask('branches/main')).body.commit.id).toBe(head)
    expect((await ask(`branches/${text}`)).body.commit.id).toBe(head)
    expect((await ask('files/a.txt/raw?ref=main')).text).toBe(text)
  }
})

test('a push to a path that does not exist makes a private project of that name', async () => {
  const forge = await testForge()
  const maker = await forge.user()
  const dir = await workTree()
  await git(dir, 'push', '--quiet', await forge.remote(`${maker.username}/made.by-push`, maker), 'main')

  const { body } = await forge.as(maker).get(`/projects/${maker.username}%2Fmade.by-push`)
  expect(body).toMatchObject({ name: 'made.by-push', path: 'made.by-push', visibility: 'private', default_branch: 'main' })
  const copy = await clone(await forge.remote(`${maker.username}/made.by-push`, maker))
  expect(await git(copy, 'rev-parse', 'HEAD')).toBe(await git(dir, 'rev-parse', 'HEAD'))
})

test('maintainers create projects in their group by a push; for developers and strangers it is not found', async () => {
  const forge = await testForge()
  const [maintainer, developer, stranger] = [await forge.user(), await forge.user(), await forge.user()]
  const group = await forge.group({ maintainer, developer, visibility: 'public' })
  const dir = await workTree()
  for (const user of [developer, stranger]) {
    const refused = await tryGit(dir, 'push', await forge.remote(`${group.full_path}/made`, user), 'main')
    expect([refused.code, refused.stderr.includes('The project you were looking for could not be found.')]).toEqual([128, true])
  }
  expect((await forge.as(forge.root).get(`/projects/${encodeURIComponent(`${group.full_path}/made`)}`)).status).toBe(404)
  await git(dir, 'push', '--quiet', await forge.remote(`${group.full_path}/made`, maintainer), 'main')
  expect((await forge.as(developer).get(`/projects/${encodeURIComponent(`${group.full_path}/made`)}`)).status).toBe(200)
})

test('a push to a name no project may have says what is wrong with it, and makes nothing', async () => {
  const forge = await testForge()
  const maker = await forge.user()
  const dir = await workTree()
  const names = {
    tree: 'Path tree is a reserved name.',
    '-dash': "Path can contain only letters, digits, '_', '-' and '.'. Cannot start",
    'two..dots': "Path can contain only letters, digits, '_', '-' and '.'. Cannot start",
    'x.atom': "Path can contain only letters, digits, '_', '-' and '.'. Cannot start",
    [`long${'x'.repeat(252)}`]: 'Path is too long (maximum is 255 characters).',
  }
  for (const [name, sentence] of Object.entries(names)) {
    const refused = await tryGit(dir, 'push', await forge.remote(`${maker.username}/${name}`, maker), 'main')
    expect([name, refused.code, refused.stderr]).toEqual([name, 128, expect.stringContaining(`remote: ${sentence}`)])
  }
  expect((await forge.as(maker).get('/projects?owned=true')).body).toEqual([])
})

test('a push that would make one project too many says so', async () => {
  const forge = await testForge()
  const maker = await forge.user({ projects_limit: 1 })
  await forge.project({ owner: maker })
  const refused = await tryGit(await workTree(), 'push', await forge.remote(`${maker.username}/one`, maker), 'main')
  expect([refused.code, refused.stderr]).toEqual([128, expect.stringContaining('Your project limit is 1 projects!')])
})

test('concurrent pushes that create the same project all succeed', async () => {
  const forge = await testForge()
  const maker = await forge.user()
  const dir = await workTree()
  const remote = await forge.remote(`${maker.username}/twice`, maker)
  await Promise.all(['one', 'two', 'three'].map((branch) => git(dir, 'push', '--quiet', remote, `main:${branch}`)))
  const { body } = await forge.as(maker).get(`/projects/${maker.username}%2Ftwice/repository/branches`)
  expect(body.map(({ name }: { name: string }) => name)).toEqual(['one', 'three', 'two'])
})

test('of two pushes that race for one branch one wins and the other is rejected with the reason', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const remote = await forge.remote(project, forge.root)
  for (let round = 0; round < (isGate ? 1 : 3); round += 1) {
    const racers = await Promise.all([1, 2, 3].map(() => clone(remote)))
    const heads = await Promise.all(racers.map((dir, index) => commit(dir, { [`racer${index}.txt`]: String(round) }, `Racer ${index}`)))
    const results = await Promise.all(racers.map((dir) => tryGit(dir, 'push', 'origin', 'main')))

    const winners = results.flatMap(({ code }, index) => (code === 0 ? [heads[index]] : []))
    expect(winners).toEqual([await git(project.dir, 'rev-parse', 'main')])
    for (const { code, stderr } of results) if (code !== 0) expect(stderr).toMatch(/\[(remote )?rejected\]/)
    expect(await git(project.dir, 'fsck', '--full', '--no-dangling')).toBe('')
  }
  await expect.poll(() => processesOn(project.dir)).toEqual([])
})

test('five hundred refs arrive in one push, with their names whole', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  const dir = await workTree()
  const head = await git(dir, 'rev-parse', 'HEAD')
  const names = Array.from({ length: 500 }, (_, index) => `refs/heads/äöü/€${'é'.repeat(30)}${index}`).sort()
  await writeFile(
    join(dir, '.git', 'packed-refs'),
    `# pack-refs with: peeled fully-peeled sorted \n${names.map((name) => `${head} ${name}\n`).join('')}`,
  )
  await git(dir, 'push', '--quiet', await forge.remote(project, forge.root), 'refs/heads/äöü/*:refs/heads/äöü/*')
  const { body } = await forge.as(forge.root).get(`/projects/${project.id}`)
  expect((await git(project.dir, 'for-each-ref', '--format=%(refname)')).split('\n')).toHaveLength(500)
  expect(names.map((name) => name.slice('refs/heads/'.length))).toContain(body.default_branch)
})

test('hooks run whatever the data folder is called', async () => {
  const forge = await openForge({ folder_name: 'a #b;c "d' })
  const project = await forge.project({ files: null })
  const work = await forge.folder()
  await git(work, 'init', '-q', '-b', 'main')
  await git(work, 'commit', '-q', '--allow-empty', '-m', 'First')

  await git(work, 'push', '-q', await forge.remote(project, forge.root), 'main')

  expect((await forge.as(forge.root).get(`/projects/${project.id}`)).body.default_branch).toBe('main')
})
