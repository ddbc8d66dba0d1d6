/** Protected branches and tags as git meets them: what is refused, with which words, and that nothing has moved then. */
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { engine } from '../../support/database.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../support/forge.ts'
import { type GitResult, git, tryGit } from '../../support/git.ts'
import { cpuBudget } from '../../support/run/cpu.ts'
import { inFullRun, isGate } from '../../support/run/tiers.ts'
import { clone, commit, packOf, post, pushBody, workTree, zero } from './wire.ts'

cpuBudget(10, 'Each rule is tried by pushes over HTTP.')

/** Tests of git and the wire alone, which need one engine; those that reach the database run on both. */
const onOneEngine = test.skipIf(engine === 'postgres')

let forge: Forge
let developer: TestUser
let maintainer: TestUser

beforeAll(async () => {
  forge = await testForge()
  ;[developer, maintainer] = await Promise.all([forge.user(), forge.user()])
})

const words = {
  push: 'You are not allowed to push code to protected branches on this project.',
  force: 'You are not allowed to force push code to a protected branch on this project.',
  delete_by_git: 'You can only delete protected branches using the web interface.',
  delete_protected: 'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can',
  delete_default: 'The default branch of a project cannot be deleted.',
  first: 'The project has no default branch yet: only a project maintainer or owner can push the first one.',
  change_tag: 'You are not allowed to change existing tags on this project.',
  create_tag: 'You are not allowed to create this tag as it is protected.',
  update_tag: 'Protected tags cannot be updated.',
  delete_tag: 'Protected tags cannot be deleted.',
}

/** A project, and a clone of it with a commit on main that the project hasn't. */
async function cloned(): Promise<{ project: TestProject; dir: string }> {
  const project = await forge.project({ developer, maintainer })
  const dir = await clone(await forge.remote(project, maintainer))
  await commit(dir, { 'a.txt': 'a' })
  return { project, dir }
}

async function push(dir: string, project: TestProject, user: TestUser, ...refs: string[]): Promise<GitResult> {
  return tryGit(dir, 'push', await forge.remote(project, user), ...refs)
}

const refsOf = ({ dir }: TestProject) => git(dir, 'for-each-ref', '--format=%(refname) %(objectname)')

/** The push is refused in these words, and no ref has moved. */
async function expectRefused(dir: string, project: TestProject, user: TestUser, refs: string[], sentence: string): Promise<void> {
  const before = await refsOf(project)
  const { code, stderr } = await push(dir, project, user, ...refs)
  expect([refs, code, stderr]).toEqual([refs, 1, expect.stringContaining(`remote: Gitstead: ${sentence}`)])
  expect(await refsOf(project)).toBe(before)
}

async function expectTaken(dir: string, project: TestProject, user: TestUser, ...refs: string[]): Promise<void> {
  const { code, stderr } = await push(dir, project, user, ...refs)
  expect([refs, code, code === 0 ? '' : stderr]).toEqual([refs, 0, ''])
}

async function protect(project: TestProject, kind: 'branches' | 'tags', body: object): Promise<void> {
  expect((await forge.as(maintainer).post(`/projects/${project.id}/protected_${kind}`, body)).status).toBe(201)
}

onOneEngine('developers push to their branches and not to the protected one; maintainers to both', async () => {
  const { project, dir } = await cloned()
  await expectRefused(dir, project, developer, ['main'], words.push)
  await expectTaken(dir, project, developer, 'main:feature')
  await expectTaken(dir, project, maintainer, 'main')
  expect(await git(project.dir, 'rev-parse', 'main', 'feature')).toBe(await git(dir, 'rev-parse', 'main', 'main'))
})

onOneEngine(
  'nobody pushes to a branch with push level 0, not even maintainers or administrators',
  inFullRun('Half a second of processor. `allowed-changes.test.ts` has every level; developers and maintainers push above.'),
  async () => {
    const { project, dir } = await cloned()
    await protect(project, 'branches', { name: 'frozen', push_access_level: 0 })
    for (const user of [developer, maintainer, forge.root]) await expectRefused(dir, project, user, ['main:frozen'], words.push)
  },
)

test('of several rules the mildest counts', async () => {
  const { project, dir } = await cloned()
  await protect(project, 'branches', { name: 'm*', push_access_level: 30 })
  await expectTaken(dir, project, developer, 'main')
})

test(
  'patterns protect every branch that fits, and no other',
  inFullRun('2 s of processor. src/text/wildcards.test.ts has the patterns.'),
  async () => {
    const { project, dir } = await cloned()
    await protect(project, 'branches', { name: 'release/*' })
    await protect(project, 'branches', { name: '*-stable' })
    for (const name of ['release/1', 'release/2/3', '11-3-stable', 'a/b-stable']) {
      await expectRefused(dir, project, developer, [`main:refs/heads/${name}`], words.push)
      await expectTaken(dir, project, maintainer, `main:refs/heads/${name}`)
    }
    for (const name of ['releases/1', 'Release/1', '11-3-stables', 'x/release/1']) {
      await expectTaken(dir, project, developer, `main:refs/heads/${name}`)
    }
  },
)

onOneEngine('a protected branch is not forced, by nobody, even back; another one is', async () => {
  const { project, dir } = await cloned()
  await expectTaken(dir, project, maintainer, 'main', 'main:feature')
  await expectRefused(dir, project, maintainer, ['--force', 'main~1:main'], words.force)
  await git(dir, 'commit', '--quiet', '--amend', '--message', 'Said better')
  for (const user of [maintainer, forge.root]) await expectRefused(dir, project, user, ['--force', 'main'], words.force)
  await expectTaken(dir, project, developer, '--force', 'main:feature')
  expect(await git(project.dir, 'rev-parse', 'feature')).toBe(await git(dir, 'rev-parse', 'main'))
})

test(
  'a protected branch that allows it is forced by those who may push, and by nobody else',
  inFullRun('Half a second of processor. `allowed-changes.test.ts` has the rule; a protected branch that is forced is refused above.'),
  async () => {
    const { dir, project } = await cloned()
    await protect(project, 'branches', { name: 'ma*', allow_force_push: true })
    await expectTaken(dir, project, maintainer, 'main')
    await git(dir, 'commit', '--quiet', '--amend', '--message', 'Said better')
    await expectRefused(dir, project, developer, ['--force', 'main'], words.push)
    await expectTaken(dir, project, maintainer, '--force', 'main')
  },
)

onOneEngine(
  'several protected branches go forward in one push, and none does when one of them would be forced',
  inFullRun('1 s of processor. One branch goes forward in others.'),
  async () => {
    const { project, dir } = await cloned()
    await protect(project, 'branches', { name: 'release/*', push_access_level: 30 })
    await expectTaken(dir, project, maintainer, 'main', 'main:release/1', 'main~1:refs/heads/release/2')
    await commit(dir, { 'a.txt': 'b' })
    await expectTaken(dir, project, maintainer, 'main', 'main:release/1', 'main:release/2')
    // Each stands where it can be reached from where another would lead.
    await commit(dir, { 'a.txt': 'c' })
    await expectRefused(dir, project, maintainer, ['--force', 'main', 'main~2:release/1', 'main:feature'], words.force)
  },
)

test('a protected branch is deleted through the API by maintainers, and by git by nobody', async () => {
  const { project, dir } = await cloned()
  await protect(project, 'branches', { name: 'release/*' })
  await expectTaken(dir, project, maintainer, 'main:release/1', 'main:feature')
  await expectRefused(dir, project, developer, [':release/1'], words.delete_protected)
  for (const user of [maintainer, forge.root]) await expectRefused(dir, project, user, [':release/1'], words.delete_by_git)
  await expectTaken(dir, project, developer, ':feature')
  const address = `/projects/${project.id}/repository/branches/release%2F1`
  expect((await forge.as(developer).delete(address)).status).toBe(400)
  expect((await forge.as(maintainer).delete(address)).status).toBe(204)
})

onOneEngine(
  'the default branch is never deleted, though nothing protects it',
  inFullRun('1 s of processor. `allowed-changes.test.ts` has the rule; the API and git delete a protected branch above.'),
  async () => {
    const { project, dir } = await cloned()
    await forge.as(maintainer).delete(`/projects/${project.id}/protected_branches/main`)
    for (const user of [developer, maintainer, forge.root]) {
      await expectRefused(dir, project, user, [':main'], words.delete_default)
      expect((await forge.as(user).delete(`/projects/${project.id}/repository/branches/main`)).status).toBe(400)
    }
    await expectTaken(dir, project, developer, 'main')
  },
)

test('protected tags are made by whom the rule lets, and moved or deleted by nobody', async () => {
  const { project, dir } = await cloned()
  await protect(project, 'tags', { name: 'v*' })
  await protect(project, 'tags', { name: 'nightly-*', create_access_level: 30 })
  await protect(project, 'tags', { name: 'never', create_access_level: 0 })
  await expectRefused(dir, project, developer, ['main~1:refs/tags/v1'], words.create_tag)
  await expectTaken(dir, project, maintainer, 'main~1:refs/tags/v1')
  await expectTaken(dir, project, developer, 'main~1:refs/tags/nightly-1')
  for (const user of [developer, maintainer, forge.root]) {
    await expectRefused(dir, project, user, ['main~1:refs/tags/never'], words.create_tag)
  }
  for (const user of [maintainer, forge.root]) {
    await expectRefused(dir, project, user, ['--force', 'main:refs/tags/v1'], words.update_tag)
    await expectRefused(dir, project, user, [':refs/tags/v1'], words.delete_tag)
  }
  for (const tag of ['v1', 'nightly-1']) {
    await expectRefused(dir, project, developer, ['--force', `main:refs/tags/${tag}`], words.change_tag)
    await expectRefused(dir, project, developer, [`:refs/tags/${tag}`], words.change_tag)
  }
})

onOneEngine(
  'tags nobody protects are made by developers, moved and deleted by maintainers',
  inFullRun('1 s of processor. Protected tags are above.'),
  async () => {
    const { project, dir } = await cloned()
    await expectTaken(dir, project, developer, 'main:refs/tags/mine')
    await expectRefused(dir, project, developer, ['--force', 'main~1:refs/tags/mine'], words.change_tag)
    await expectRefused(dir, project, developer, [':refs/tags/mine'], words.change_tag)
    await expectTaken(dir, project, maintainer, '--force', 'main~1:refs/tags/mine')
    await expectTaken(dir, project, maintainer, ':refs/tags/mine')
  },
)

onOneEngine('a client that says of a tag it deletes that it never was is not believed', async () => {
  const { project, dir } = await cloned()
  await expectTaken(dir, project, maintainer, 'main:refs/tags/v1')
  const before = await refsOf(project)
  const body = pushBody({ before: zero, after: zero, ref: 'refs/tags/v1' }, Buffer.alloc(0))
  const answer = await post(forge, `/${project.full_path}.git/git-receive-pack`, body, { user: developer })
  expect([answer.status, answer.text]).toEqual([
    200,
    expect.stringContaining('ng refs/tags/v1 Gitstead: You are not allowed to change existing tags'),
  ])
  expect(await refsOf(project)).toBe(before)
})

onOneEngine(
  'a client that lies about where a protected branch stands moves nothing',
  inFullRun('Half a second of processor. A client that lies about a tag is above.'),
  async () => {
    const { project, dir } = await cloned()
    await expectTaken(dir, project, maintainer, 'main')
    const before = await refsOf(project)
    await git(dir, 'commit', '--quiet', '--amend', '--message', 'Said better')
    const after = await git(dir, 'rev-parse', 'main')
    const pack = await packOf(dir, 'main')
    for (const lie of [zero, await git(dir, 'rev-parse', 'main~1'), 'f'.repeat(40), after]) {
      const body = pushBody({ before: lie, after, ref: 'refs/heads/main' }, pack)
      const { status } = await post(forge, `/${project.full_path}.git/git-receive-pack`, body, { user: maintainer })
      expect([lie, status, await refsOf(project)]).toEqual([lie, 200, before])
    }
  },
)

onOneEngine('a protected branch does not become a file, a folder or a tag', async () => {
  const { project, dir } = await cloned()
  await git(dir, 'tag', '--message', 'Said', 'said', 'main')
  const before = await refsOf(project)
  for (const source of ['main:a.txt', 'main^{tree}', 'said']) {
    const { code, stderr } = await push(dir, project, maintainer, '--force', `${source}:refs/heads/main`)
    expect([source, code, stderr]).toEqual([source, 1, expect.stringMatching(/rejected|refusing/)])
    expect([source, await refsOf(project)]).toEqual([source, before])
  }
})

const protections = [
  { protection: 1, may_begin: true, may_push: true, rules: [['main', 30, 40]] },
  { protection: 2, may_begin: false, may_push: false, rules: [['main', 40, 40]] },
  { protection: 0, may_begin: true, may_push: true, rules: [] },
  { protection: 3, may_begin: false, may_push: false, rules: [['main', 40, 30]] },
]

// In the gate one of those that let developers begin, and one of the others.
test.each(isGate ? protections.slice(0, 2) : protections)(
  'with default_branch_protection $protection the first branch is made, and protected, as it says',
  async (expected) => {
    const { protection: default_branch_protection, may_begin, may_push } = expected
    const set = (settings: object) => forge.as(forge.root).put('/application/settings', settings)
    expect((await set({ default_branch_protection })).status).toBe(200)
    onTestFinished(async () => void (await set({ default_branch_protection: 2 })))
    const project = await forge.project({ developer, maintainer, files: null })
    const dir = await workTree()
    const file = `/projects/${project.id}/repository/files/a.txt`
    const make = (branch: string) => forge.as(developer).post(file, { branch, content: 'a', commit_message: 'Begin' })

    // Tags are no branches: they may come first.
    await expectTaken(dir, project, developer, 'main:refs/tags/v0')
    if (may_begin) {
      await expectTaken(dir, project, developer, 'main')
    } else {
      for (const branch of ['feature', 'main']) {
        await expectRefused(dir, project, developer, [`main:refs/heads/${branch}`], words.first)
        const { status, body } = await make(branch)
        expect([status, body]).toEqual([400, { message: 'You are not allowed to push into this branch' }])
      }
      await expectTaken(dir, project, maintainer, 'main')
    }

    const rules = (await forge.as(maintainer).get(`/projects/${project.id}/protected_branches`)).body as Rule[]
    const levels = ({ push_access_levels: [push], merge_access_levels: [merge] }: Rule) => [push?.access_level, merge?.access_level]
    expect(rules.map((rule) => [rule.name, ...levels(rule)])).toEqual(expected.rules)
    expect((await make('main')).status).toBe(may_push ? 201 : 400)
    await commit(dir, { 'b.txt': 'b' })
    await expectTaken(dir, project, developer, 'main:feature')
  },
)

interface Rule {
  name: string
  push_access_levels: Array<{ access_level: number }>
  merge_access_levels: Array<{ access_level: number }>
}

onOneEngine('of several refs none moves when one is refused, whatever its place', async () => {
  const { project, dir } = await cloned()
  await expectRefused(dir, project, developer, ['main:aaa', 'main', 'main:refs/tags/v1'], words.push)
  await expectRefused(dir, project, developer, ['main:zzz', 'main:refs/merge-requests/1/head'], 'The ref refs/merge-requests/1/head')
})

test(
  'the refs the service keeps for itself are written by nobody',
  inFullRun('1 s of processor: eleven pushes. service-refs.test.ts tries to create, move and delete them over HTTP, too.'),
  async () => {
    const { project, dir } = await cloned()
    for (const ref of ['merge-requests/1/head', 'keep-around/x', 'environments/x', 'pipelines/1', 'unborn/x']) {
      for (const user of [developer, forge.root]) {
        await expectRefused(dir, project, user, [`main:refs/${ref}`], `The ref refs/${ref} is kept by the service.`)
      }
    }
    // Its bare name would stand in the way of all below it.
    const body = pushBody({ after: await git(dir, 'rev-parse', 'main'), ref: 'refs/merge-requests' }, await packOf(dir, 'main'))
    const answer = await post(forge, `/${project.full_path}.git/git-receive-pack`, body, { user: forge.root })
    expect(answer.text).toContain('ng refs/merge-requests Gitstead: The ref refs/merge-requests is kept by the service.')
    await expectTaken(dir, project, developer, 'main:refs/notes/x')
  },
)

test('a branch named like an object id is rejected over both protocols, and an existing one can be deleted', async () => {
  const { project, dir } = await cloned()
  const id = await git(project.dir, 'rev-parse', 'main')
  for (const name of [id, id.toUpperCase(), 'f'.repeat(64)]) {
    await expectRefused(dir, project, maintainer, [`main:refs/heads/${name}`], `The branch ${name} would be taken for an object id.`)
  }
  await git(project.dir, 'update-ref', `refs/heads/${id}`, id)
  await expectTaken(dir, project, developer, `:refs/heads/${id}`)
  await expectTaken(dir, project, developer, `main:refs/heads/${id.slice(0, 39)}`)
})

/** Bytes that are no UTF-8: a file of that name is what git keeps a branch in. */
const latin1 = Buffer.from('refs/heads/caf\xe9', 'latin1')

test(
  'a name that the API calls invalid is refused of a push, with the name, and a deletion of what is there is not',
  inFullRun('2 s of processor. src/git/refs/names.test.ts has the names.'),
  async () => {
    const { project, dir } = await cloned()
    const tip = await git(project.dir, 'rev-parse', 'main')
    const invalid = ['-x', '@', 'HEAD', 'refs/heads/x', 'refs/tags/x', 'refs/x', 'x'.repeat(251), `${'x/'.repeat(600)}x`]
    const refs = [
      ...invalid.flatMap((name) => [`refs/heads/${name}`, `refs/tags/${name}`]),
      `refs/tags/${tip}`,
      ...['refs/replace/x', `refs/replace/${tip}`, 'refs/bisect/bad', 'refs/worktree/x', 'refs/rewritten/x', 'refs/-x', 'refs/HEAD'],
    ]
    const pack = await packOf(dir, 'main')
    const after = await git(dir, 'rev-parse', 'main')
    const before = await refsOf(project)
    for (const ref of refs) {
      // The git program itself refuses some of them, such as what begins with a dash.
      const answer = await post(forge, `/${project.full_path}.git/git-receive-pack`, pushBody({ after, ref }, pack), { user: maintainer })
      expect([ref, answer.text]).toEqual([ref, expect.stringContaining(`ng ${ref}`)])
      const name = ref.replace(/^refs\/(heads|tags)\//, '')
      const api = ref.startsWith('refs/tags/')
        ? await forge.as(maintainer).post(`/projects/${project.id}/repository/tags`, { tag_name: name, ref: 'main' })
        : await forge.as(maintainer).post(`/projects/${project.id}/repository/branches`, { branch: name, ref: 'main' })
      // For other refs, the API may at most create a branch with that name.
      if (/^refs\/(heads|tags)\//.test(ref)) expect([ref, api.status]).toEqual([ref, ref.startsWith('refs/tags/') ? 405 : 400])
      else await forge.as(maintainer).delete(`/projects/${project.id}/repository/branches/${encodeURIComponent(name)}`)
      expect([ref, await refsOf(project)]).toEqual([ref, before])
    }
    for (const ref of [
      'refs/heads/-x',
      'refs/heads/@',
      'refs/heads/HEAD',
      'refs/heads/refs/heads/x',
      'refs/tags/-x',
      `refs/replace/${tip}`,
    ]) {
      await git(project.dir, 'update-ref', ref, tip)
      const move = await post(forge, `/${project.full_path}.git/git-receive-pack`, pushBody({ before: tip, after, ref }, pack), {
        user: maintainer,
      })
      expect([ref, move.text]).toEqual([ref, expect.stringContaining(`ng ${ref}`)])
      const body = pushBody({ before: tip, after: zero, ref }, Buffer.alloc(0))
      const answer = await post(forge, `/${project.full_path}.git/git-receive-pack`, body, { user: maintainer })
      expect([ref, answer.text]).toEqual([ref, expect.stringContaining(`ok ${ref}`)])
    }
    expect(await refsOf(project)).toBe(before)
  },
)

test('a name that is no UTF-8 is refused, and what a mirror holds beside branches and tags is taken', async () => {
  const { project, dir } = await cloned()
  const after = await git(dir, 'rev-parse', 'main')
  const before = await refsOf(project)
  const body = pushBody({ after, ref: 'refs/heads/caf?' }, await packOf(dir, 'main'))
  body.set(latin1, body.indexOf('refs/heads/caf?'))
  const answer = await post(forge, `/${project.full_path}.git/git-receive-pack`, body, { user: maintainer })
  expect(answer.text).toContain('ng refs/heads/caf\xe9 Gitstead: The name of the branch caf')
  expect(await refsOf(project)).toBe(before)
  const taken = ['refs/notes/commits', 'refs/remotes/origin/main', 'refs/remotes/origin/HEAD', 'refs/pull/1/head', 'refs/heads/caf\u00e9']
  await expectTaken(dir, project, maintainer, ...taken.map((ref) => `main:${ref}`))
})

test('a rule holds from the push that follows it', async () => {
  const { project, dir } = await cloned()
  await expectTaken(dir, project, developer, 'main:work')
  await protect(project, 'branches', { name: 'work' })
  await commit(dir, { 'a.txt': 'b' })
  await expectRefused(dir, project, developer, ['main:work'], words.push)
  await forge.as(maintainer).delete(`/projects/${project.id}/protected_branches/work`)
  await expectTaken(dir, project, developer, 'main:work')
})
