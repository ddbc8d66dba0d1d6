/** Branches made, deleted and protected through the API: what git says of them afterwards. */
import { execFileSync } from 'node:child_process'
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, gitReading } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'

let forge: Forge
let maintainer: TestUser
let developer: TestUser
let reporter: TestUser

beforeAll(async () => {
  forge = await testForge()
  ;[maintainer, developer, reporter] = await Promise.all([forge.user(), forge.user(), forge.user()])
})

/** A project with three commits on main, `old` at the first of them, and `work` one commit ahead. */
async function seeded(): Promise<TestProject> {
  const project = await forge.project({ maintainer, developer, reporter, commits: ['1', '2', '3'].map((a) => ({ files: { a } })) })
  await git(project.dir, 'branch', 'old', 'main~2')
  const tree = await git(project.dir, 'rev-parse', 'main^{tree}')
  await git(project.dir, 'branch', 'work', await git(project.dir, 'commit-tree', '-p', 'main', '-m', 'Ahead', tree))
  return project
}

const refsOf = (project: TestProject) => git(project.dir, 'for-each-ref', '--format=%(refname) %(objectname)')
const at = (project: TestProject, branch = '') => `/projects/${project.id}/repository/branches${branch && `/${encodeURIComponent(branch)}`}`

test('a branch is made at a branch, a tag, an annotated tag, a commit or a part of its id', async () => {
  const project = await seeded()
  await git(project.dir, 'tag', '--message', 'First', 'v1', 'main~1')
  const commit = await git(project.dir, 'rev-parse', 'main~1')
  for (const [index, ref] of ['v1', 'refs/tags/v1', commit, commit.slice(0, 10), 'main~1'].entries()) {
    const made = await forge.as(developer).post(at(project), { branch: `feature/${index}`, ref })
    expect([made.status, made.body.name, made.body.commit.id, made.body.merged, made.body.can_push]).toEqual([
      201,
      `feature/${index}`,
      commit,
      true,
      true,
    ])
    expect(await git(project.dir, 'rev-parse', `refs/heads/feature/${index}`)).toBe(commit)
    expect((await forge.as(developer).get(at(project, `feature/${index}`))).body).toEqual(made.body)
  }
})

test('creating a branch records a push event', async () => {
  const project = await seeded()
  await forge.as(developer).post(at(project), { branch: 'fresh', ref: 'main' })
  const events = await forge.app.db
    .selectFrom('events')
    .selectAll()
    .where('project_id', '=', project.id)
    .where('action', '=', 'pushed')
    .execute()
  expect(events.at(-1)).toMatchObject({
    action: 'pushed',
    author_id: developer.id,
    ref: 'refs/heads/fresh',
    before_oid: null,
    after_oid: await git(project.dir, 'rev-parse', 'main'),
  })
})

test('an invalid or taken name and an unknown revision get 400, and nothing is created', async () => {
  const project = await seeded()
  await git(project.dir, 'tag', 'of-a-file', 'main:a')
  const before = await refsOf(project)
  const id = await git(project.dir, 'rev-parse', 'main')
  const make = async (branch: unknown, ref: unknown) => {
    const { status, body } = await forge.as(developer).post(at(project), { branch, ref })
    return [branch, ref, status, body]
  }
  const names = ['-n', 'a..b', 'a b', 'x.lock', 'a//b', '/a', 'a/', '@', 'HEAD', 'refs/heads/x', 'refs/remotes/x', 'a\nb', 'a~1']
  for (const name of [...names, '.git/x', 'x'.repeat(1_025), '', id, id.toUpperCase(), 'f'.repeat(64)]) {
    expect(await make(name, 'main')).toEqual([name, 'main', 400, { message: 'Branch name is invalid' }])
  }
  for (const name of ['old', 'main']) expect(await make(name, 'main')).toEqual([name, 'main', 400, { message: 'Branch already exists' }])
  for (const ref of ['nothing', '-n', '--all', '', ' ', 'main:a', ':/x', '@{-1}', 'of-a-file', '0'.repeat(40), 'f'.repeat(40)]) {
    expect(await make('fresh', ref)).toEqual(['fresh', ref, 400, { message: 'Invalid reference name' }])
  }
  for (const name of ['old/below', 'work/a/b']) {
    const fieldError = 'Branch name is that of a folder of branches, or begins with the name of a branch'
    expect(await make(name, 'main')).toEqual([name, 'main', 400, { message: fieldError }])
  }
  for (const [body, error] of [
    [{ ref: 'main' }, 'branch is missing'],
    [{ branch: 'fresh' }, 'ref is missing'],
    [{ branch: ['fresh'], ref: 'main' }, 'branch is invalid'],
    [{ branch: 'a\0b', ref: 'main' }, 'branch is invalid'],
    [{ branch: 'fresh', ref: 'a\0b' }, 'ref is invalid'],
  ] as const) {
    const answer = await forge.as(developer).post(at(project), body)
    expect([answer.status, answer.body]).toEqual([400, { error }])
  }
  expect(await refsOf(project)).toBe(before)
})

test('in an empty repository a branch starts at a first commit of the default branch, an empty README', async () => {
  const empty = await forge.project({ files: null, maintainer })
  const { status, body } = await forge.as(maintainer).post(at(empty), { branch: 'fresh', ref: 'main' })
  expect([status, body.name, body.default, body.commit.message, body.commit.author_name]).toEqual([
    201,
    'fresh',
    false,
    'Add README.md',
    maintainer.name,
  ])
  expect(await git(empty.dir, 'ls-tree', '-r', 'main')).toMatch(/^100644 blob e69de29\S+\tREADME.md$/)
  const refs = await refsOf(empty)
  expect(refs).toBe(['fresh', 'main'].map((name) => `refs/heads/${name} ${body.commit.id}`).join('\n'))
  const project = (await forge.as(maintainer).get(`/projects/${empty.id}`)).body
  expect([project.default_branch, project.readme_url]).toEqual(['main', expect.stringMatching(/README.md$/)])
  const main = (await forge.as(maintainer).get(at(empty, 'main'))).body
  expect([main.protected, main.default]).toEqual([true, true])

  const other = await forge.project({ files: null })
  expect((await forge.as(forge.root).post(at(other), { branch: 'main', ref: 'main' })).status).toBe(201)
  expect(await refsOf(other)).toMatch(/^refs\/heads\/main \S+$/)
})

test('a refused first branch leaves an empty repository empty', async () => {
  const empty = await forge.project({ files: null, developer, reporter })
  for (const [user, branch, ref, status] of [
    [forge.root, 'fresh', 'nothing', 400],
    [forge.root, 'fresh', 'HEAD', 400],
    [forge.root, 'a..b', 'main', 400],
    [forge.root, 'main/x', 'main', 400],
    [developer, 'fresh', 'main', 400],
    [reporter, 'fresh', 'main', 403],
  ] as const) {
    const answer = await forge.as(user).post(at(empty), { branch, ref })
    expect([branch, ref, answer.status]).toEqual([branch, ref, status])
  }
  expect(await refsOf(empty)).toBe('')
  expect((await forge.as(forge.root).get(`/projects/${empty.id}`)).body.default_branch).toBeNull()
})

test('one of several concurrent creations of a branch succeeds, and the others get the reason', async () => {
  const project = await seeded()
  const answers = await Promise.all(['main', 'old', 'work'].map((ref) => forge.as(developer).post(at(project), { branch: 'fresh', ref })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400])
  for (const { status, body } of answers) if (status === 400) expect(body).toEqual({ message: 'Branch already exists' })
})

test('reporters make and delete no branches, and nobody does in an archived project', async () => {
  const project = await seeded()
  const before = await refsOf(project)
  const attempts = (user: TestUser) => [
    forge.as(user).post(at(project), { branch: 'fresh', ref: 'main' }),
    forge.as(user).delete(at(project, 'old')),
    forge.as(user).delete(`/projects/${project.id}/repository/merged_branches`),
  ]
  for (const { status } of await Promise.all(attempts(reporter))) expect(status).toBe(403)
  await forge.app.db.updateTable('projects').set({ archived: true }).where('id', '=', project.id).execute()
  for (const { status } of await Promise.all(attempts(forge.root))) expect(status).toBe(403)
  expect(await refsOf(project)).toBe(before)
})

test('developers make no branch that is protected', async () => {
  const project = await seeded()
  await forge.as(maintainer).post(`/projects/${project.id}/protected_branches`, { name: 'release/*' })
  const make = (user: TestUser) => forge.as(user).post(at(project), { branch: 'release/1', ref: 'main' })
  const refused = await make(developer)
  expect([refused.status, refused.body]).toEqual([
    400,
    { message: 'You are not allowed to push code to protected branches on this project.' },
  ])
  expect((await make(maintainer)).status).toBe(201)
})

test('a deleted branch is gone with the answer, merged or not', async () => {
  const project = await seeded()
  await git(project.dir, 'branch', 'feature/one', 'main')
  for (const name of ['old', 'work', 'feature/one']) {
    const { status, text } = await forge.as(developer).delete(at(project, name))
    expect([name, status, text]).toEqual([name, 204, ''])
    expect((await forge.as(developer).get(at(project, name))).status).toBe(404)
  }
  expect(await refsOf(project)).toBe(`refs/heads/main ${await git(project.dir, 'rev-parse', 'main')}`)
})

test('deleting a branch named refs/heads/main leaves main', async () => {
  const project = await seeded()
  await git(project.dir, 'update-ref', 'refs/heads/refs/heads/main', 'refs/heads/old')
  const address = at(project, 'refs/heads/main')
  expect((await forge.as(developer).get(address)).body).toMatchObject({ name: 'refs/heads/main', protected: false, default: false })
  expect((await forge.as(developer).delete(address)).status).toBe(204)
  expect(await refsOf(project)).toMatch(/^refs\/heads\/main \w+\nrefs\/heads\/old \w+\nrefs\/heads\/work \w+$/)
})

test('the default branch cannot be deleted, a protected one by maintainers only, an unknown one is 404', async () => {
  const project = await seeded()
  await forge.as(maintainer).post(`/projects/${project.id}/protected_branches`, { name: 'old', push_access_level: 0 })
  const before = await refsOf(project)
  const remove = async (user: TestUser, name: string) => {
    const { status, body } = await forge.as(user).delete(at(project, name))
    return [status, body?.message]
  }
  const refused = (reason: string) => [400, reason]
  for (const user of [developer, maintainer, forge.root]) {
    expect(await remove(user, 'main')).toEqual(refused('The default branch of a project cannot be deleted.'))
  }
  expect(await remove(developer, 'old')).toEqual(
    refused(
      'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.',
    ),
  )
  expect(await remove(maintainer, 'nothing')).toEqual([404, '404 Branch Not Found'])
  expect(await remove(maintainer, 'a..b')).toEqual([400, 'The branch refname is invalid'])
  expect(await refsOf(project)).toBe(before)
  expect(await remove(maintainer, 'old')).toEqual([204, undefined])
})

test('a branch with a commit newer than If-Unmodified-Since is kept', async () => {
  const project = await seeded()
  const date = new Date(await git(project.dir, 'log', '-1', '--format=%aI', 'old'))
  const remove = async (since: string) => {
    const { status, body } = await forge.as(developer).delete(at(project, 'old'), undefined, { headers: { 'if-unmodified-since': since } })
    return [status, body?.message]
  }
  expect(await remove(new Date(date.getTime() - 1_000).toUTCString())).toEqual([412, '412 Precondition Failed'])
  expect(await remove('Thu, 01 Jan 1970 00:00:00 GMT')).toEqual([412, '412 Precondition Failed'])
  expect(await remove(date.toUTCString())).toEqual([204, undefined])
})

test('an invalid If-Unmodified-Since is ignored', async () => {
  const project = await seeded()
  const { status } = await forge
    .as(developer)
    .delete(at(project, 'old'), undefined, { headers: { 'if-unmodified-since': 'the day before yesterday' } })
  expect(status).toBe(204)
})

test('merged branches are deleted together; protected, unmerged and fresh ones stay', async () => {
  const project = await seeded()
  for (const name of ['old/1', 'stable', 'keep/a']) await git(project.dir, 'update-ref', `refs/heads/z/${name}`, 'main~1')
  await git(project.dir, 'branch', 'begun', 'main')
  for (const name of ['z/stable', 'z/keep/*']) await forge.as(maintainer).post(`/projects/${project.id}/protected_branches`, { name })

  const { status, body } = await forge.as(developer).delete(`/projects/${project.id}/repository/merged_branches`)

  expect([status, body]).toEqual([202, { message: '202 Accepted' }])
  const left = (await refsOf(project)).split('\n').map((line) => line.split(' ')[0])
  expect(left).toEqual(['begun', 'main', 'work', 'z/keep/a', 'z/stable'].map((name) => `refs/heads/${name}`))
  const events = await forge.app.db
    .selectFrom('events')
    .selectAll()
    .where('project_id', '=', project.id)
    .where('action', '=', 'pushed')
    .execute()
  expect(events.flatMap(({ ref, after_oid }) => (after_oid === null ? [ref] : [])).sort()).toEqual(['refs/heads/old', 'refs/heads/z/old/1'])
})

test('a merged branch whose name is not UTF-8 doesn’t keep the others', async () => {
  const project = await seeded()
  const name = Buffer.from('refs/heads/caf\xe9', 'latin1')
  execFileSync('git', ['update-ref', '--stdin'], {
    cwd: project.dir,
    input: Buffer.concat([Buffer.from('create '), name, Buffer.from(` ${await git(project.dir, 'rev-parse', 'main~1')}\n`)]),
  })
  const { status } = await forge.as(developer).delete(`/projects/${project.id}/repository/merged_branches`)
  expect([status, await git(project.dir, 'branch', '--list', 'old')]).toEqual([202, ''])
})

test('deleting merged branches does nothing if there are none', async () => {
  for (const project of [await forge.project({ developer }), await forge.project({ developer, files: null })]) {
    const { status } = await forge.as(developer).delete(`/projects/${project.id}/repository/merged_branches`)
    expect(status).toBe(202)
  }
})

test(
  'thirty merged branches are deleted in a handful of processes',
  inFullRun('1 s of processor. Merged branches are deleted together above.'),
  async () => {
    const project = await seeded()
    const created = Array.from({ length: 30 }, (_, index) => `create refs/heads/done/${index} main~1\n`)
    await gitReading(project.dir, created.join(''), 'update-ref', '--stdin')
    await forge.drain()
    const { processes } = await forge.cost(() => forge.as(developer).delete(`/projects/${project.id}/repository/merged_branches`))
    expect((await refsOf(project)).split('\n')).toHaveLength(2)
    // The list, the merged, the move, and the readers.
    expect(processes).toBeLessThanOrEqual(6)
  },
)

test('the older endpoints protect and unprotect a branch, and are idempotent', async () => {
  const project = await seeded()
  const ask = async (what: string, body: object = {}) => {
    const answer = await forge.as(maintainer).put(`${at(project, 'old')}/${what}`, body)
    const { developers_can_push, developers_can_merge } = answer.body
    expect((await forge.as(maintainer).get(at(project, 'old'))).body).toEqual(answer.body)
    return [answer.status, answer.body.protected, developers_can_push, developers_can_merge]
  }
  expect(await ask('protect')).toEqual([200, true, false, false])
  expect(await ask('protect')).toEqual([200, true, false, false])
  expect(await ask('protect', { developers_can_push: true })).toEqual([200, true, true, false])
  expect(await ask('protect', { developers_can_merge: true })).toEqual([200, true, true, true])
  expect(await ask('protect', { developers_can_push: false })).toEqual([200, true, false, true])
  expect(await ask('unprotect')).toEqual([200, false, false, false])
  expect(await ask('unprotect')).toEqual([200, false, false, false])
  expect(await ask('protect', { developers_can_push: 'true', developers_can_merge: '1' })).toEqual([200, true, true, true])
})

test('a branch with push level 0 keeps it until it is changed, and one protected by a wildcard stays protected', async () => {
  const project = await seeded()
  const rules = `/projects/${project.id}/protected_branches`
  await forge.as(maintainer).post(rules, { name: 'old', push_access_level: 0, merge_access_level: 0 })
  await forge.as(maintainer).put(`${at(project, 'old')}/protect`, { developers_can_merge: true })
  expect((await forge.as(maintainer).get(`${rules}/old`)).body).toMatchObject({
    push_access_levels: [{ access_level: 0 }],
    merge_access_levels: [{ access_level: 30 }],
  })
  await forge.as(maintainer).post(rules, { name: 'o*' })
  expect((await forge.as(maintainer).put(`${at(project, 'old')}/unprotect`)).body.protected).toBe(true)
})

test('protecting an unknown branch, or without permission, is refused and changes nothing', async () => {
  const project = await seeded()
  for (const what of ['protect', 'unprotect']) {
    const ask = async (user: TestUser, name: string, body: object = {}) => {
      const answer = await forge.as(user).put(`${at(project, name)}/${what}`, body)
      return [answer.status, answer.body.message ?? answer.body.error]
    }
    expect(await ask(maintainer, 'nothing')).toEqual([404, '404 Branch Not Found'])
    expect(await ask(maintainer, 'a..b')).toEqual([400, 'The branch refname is invalid'])
    expect(await ask(developer, 'old')).toEqual([403, '403 Forbidden'])
  }
  const wrong = await forge.as(maintainer).put(`${at(project, 'old')}/protect`, { developers_can_push: 'perhaps' })
  expect([wrong.status, wrong.body]).toEqual([400, { error: 'developers_can_push is invalid' }])
  const rules = await forge.as(maintainer).get(`/projects/${project.id}/protected_branches`)
  expect(rules.body.map(({ name }: { name: string }) => name)).toEqual(['main'])
})
