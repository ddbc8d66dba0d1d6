/** Stacks of which the lowest is merged: what was built on it is rebased by itself where that is clean, and says what to do where it isn't. */
import { expect, test } from 'vitest'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { chanceOf } from '../../../../test/support/run/seed.ts'
import { inFullRun, onPostgresAlone } from '../../../../test/support/run/tiers.ts'

cpuBudget(7, 'Pushes, merges and rebases by git.')

const password = 'correct horse battery'

/** A commit on a branch, which begins at `from`, by the API. */
async function commit(forge: Forge, user: TestUser, { id }: TestProject, branch: string, files: Record<string, string>, from?: string) {
  const there = async (path: string) => (await forge.as(user).get(`/projects/${id}/repository/files/${path}?ref=${from ?? branch}`)).status
  const actions = []
  for (const [file_path, content] of Object.entries(files))
    actions.push({ action: (await there(file_path)) === 200 ? 'update' : 'create', file_path, content })
  const sent = { branch, ...(from && { start_branch: from }), commit_message: `${branch} ${Object.keys(files)}`, actions }
  const { status, body } = await forge.as(user).post(`/projects/${id}/repository/commits`, sent)
  expect(status).toBe(201)
  return body.id as string
}

interface Request {
  id: number
  iid: number
  at: string
}

async function propose(forge: Forge, user: TestUser, { id }: TestProject, source: string, target: string): Promise<Request> {
  const sent = { source_branch: source, target_branch: target, title: source }
  const { status, body } = await forge.as(user).post(`/projects/${id}/merge_requests`, sent)
  expect(status).toBe(201)
  return { id: body.id, iid: body.iid, at: `/projects/${id}/merge_requests/${body.iid}` }
}

/** Three requests, each with two commits on a line of one file and one of its own, each built on the one before. */
async function makeStack(forge: Forge, user: TestUser, project: TestProject, names: readonly string[]): Promise<Request[]> {
  const requests: Request[] = []
  let [below, lines] = ['main', '']
  for (const name of names) {
    await commit(forge, user, project, name, { lines: `${lines}draft of ${name}\n` }, below)
    lines += `${name}\n`
    await commit(forge, user, project, name, { lines, [`${name}.txt`]: name })
    requests.push(await propose(forge, user, project, name, below))
    below = name
  }
  return requests
}

const merge = (forge: Forge, user: TestUser, { at }: Request, params: object = {}) =>
  forge.as(user).put(`${at}/merge`, { should_remove_source_branch: true, ...params })

const notesOf = async (forge: Forge, user: TestUser, { at }: Request): Promise<string[]> =>
  (await forge.as(user).get(`${at}/notes?sort=asc`)).body.map(({ body }: { body: string }) => body)

test('what was built on a squashed branch is rebased with all that is above it, as a push of its author', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const developer = await forge.user()
  const project = await forge.project({ maintainer, developer })
  const [lower, upper, top] = (await makeStack(forge, developer, project, ['lower', 'upper', 'top'])) as [Request, Request, Request]
  expect((await merge(forge, maintainer, lower, { squash: true })).body.state).toBe('merged')
  await forge.drain()
  const api = forge.as(developer)
  for (const [one, target_branch] of [
    [upper, 'main'],
    [top, 'upper'],
  ] as const) {
    expect((await api.get(one.at)).body).toMatchObject({ target_branch, merge_error: null, merge_status: 'can_be_merged' })
    expect((await api.get(`${one.at}/commits`)).body).toHaveLength(2)
  }
  expect((await api.get(`${upper.at}/diffs`)).body.map(({ new_path }: { new_path: string }) => new_path)).toEqual(['lines', 'upper.txt'])
  expect(await notesOf(forge, developer, upper)).toContain(`rebased the source branch onto \`main\`, as !${lower.iid} was merged`)
  expect(await notesOf(forge, developer, top)).toContain(`rebased the source branch onto \`upper\`, as !${upper.iid} was rebased`)
  const pushes = (await api.get(`/projects/${project.id}/events?action=pushed&per_page=100`)).body
  const ofUpper = pushes.filter(({ push_data }: { push_data?: { ref: string } }) => push_data?.ref === 'upper')
  expect(ofUpper.map(({ author_id }: { author_id: number }) => author_id)).toEqual(ofUpper.map(() => developer.id))
  // Merged in the order of the stack, everything is there once.
  await merge(forge, maintainer, upper)
  await forge.drain()
  await merge(forge, maintainer, top, { squash: true })
  expect(await git(project.dir, 'show', 'main:lines')).toBe('lower\nupper\ntop')
})

test('a request that conflicts, or whose author may not push to it or has left, is only retargeted, and says what to do', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const developer = await forge.user()
  const project = await forge.project({ maintainer, developer })
  const [lower, upper] = (await makeStack(forge, developer, project, ['lower', 'upper'])) as [Request, Request]
  await commit(forge, developer, project, 'aside', { 'aside.txt': '1' }, 'lower')
  const aside = await propose(forge, developer, project, 'aside', 'lower')
  const former = await forge.user()
  await forge.as(maintainer).post(`/projects/${project.id}/members`, { user_id: former.id, access_level: 30 })
  await commit(forge, former, project, 'left', { 'left.txt': '1' }, 'lower')
  const left = await propose(forge, former, project, 'left', 'lower')
  await forge.as(maintainer).delete(`/projects/${project.id}/members/${former.id}`)
  const at = `/projects/${project.id}/protected_branches`
  expect((await forge.as(maintainer).post(at, { name: 'aside', push_access_level: 40 })).status).toBe(201)
  await merge(forge, maintainer, lower, { squash: true, should_remove_source_branch: false })
  // Between the merge and the deletion of the branch, main gets another line where `upper` has its own.
  await commit(forge, maintainer, project, 'main', { lines: 'lower\nelse\n' })
  const before = await git(project.dir, 'rev-parse', 'upper', 'aside', 'left')
  expect((await forge.as(maintainer).delete(`/projects/${project.id}/repository/branches/lower`)).status).toBe(204)
  await forge.drain()
  for (const one of [upper, aside, left]) {
    const { body } = await forge.as(developer).get(one.at)
    const merge_error = `After !${lower.iid} was merged, this could not be rebased. Rebase it onto main without the commits of !${lower.iid}, and push it.`
    expect(body).toMatchObject({ target_branch: 'main', state: 'opened', merge_error })
  }
  expect(await git(project.dir, 'rev-parse', 'upper', 'aside', 'left')).toBe(before)
  // Once that was done, nothing is left of it.
  await commit(forge, maintainer, project, 'aside', { 'aside.txt': '2' })
  expect((await forge.as(developer).get(aside.at)).body.merge_error).toBeNull()
})

test(
  'requests whose branches were made anew are one stack by their change ids, and those of others change nothing',
  onPostgresAlone('1 s of processor.'),
  async () => {
    const forge = await testForge()
    const [maintainer, developer, other] = [await forge.user(), await forge.user(), await forge.user({ password })]
    const project = await forge.project({ maintainer, developer, owner: other })
    const id = (digit: string) => `I${digit.repeat(40)}`
    const api = (user: TestUser) => forge.as(user)
    const branch = async (user: TestUser, name: string, changes: Array<[file: string, change: string]>, where = project) => {
      for (const [index, [file, change]] of changes.entries()) {
        const sent = {
          branch: name,
          ...(index === 0 && { start_branch: 'main' }),
          author_name: name,
          commit_message: `${file}\n\nChange-Id: ${change}`,
        }
        const actions = [{ action: 'create', file_path: file, content: file }]
        expect((await api(user).post(`/projects/${where.id}/repository/commits`, { ...sent, actions })).status).toBe(201)
      }
      return propose(forge, user, where, name, 'main')
    }
    // Each branch has commits of its own, as tools make them that send one request for each change.
    const first = await branch(developer, 'one', [['a', id('a')]])
    const second = await branch(developer, 'two', [
      ['a', id('a')],
      ['b', id('B')],
    ])
    const third = await branch(developer, 'three', [
      ['a', id('a')],
      ['b', id('b')],
      ['c', id('c')],
    ])
    const foreign = await branch(other, 'foreign', [['z', id('a')]])
    await branch(developer, 'far', [['a', id('a')]], await forge.project({ maintainer: developer }))
    await branch(other, 'long', [['y', `I${'a'.repeat(2_000)}`]])
    const browser = await signedIn(forge, other)
    const page = async ({ iid }: Request) => (await browser.get(`/${project.full_path}/merge_requests/${iid}`)).text
    expect(await page(second)).toContain('2 of 3 in a stack')
    expect(await page(foreign)).not.toContain('in a stack')
    await merge(forge, maintainer, foreign, { squash: true })
    await merge(forge, maintainer, first, { squash: true })
    await forge.drain()
    for (const [one, paths] of [
      [second, ['b']],
      [third, ['b', 'c']],
    ] as const) {
      expect((await api(other).get(`${one.at}/diffs`)).body.map(({ new_path }: { new_path: string }) => new_path)).toEqual(paths)
      expect((await api(other).get(`${one.at}/commits`)).body).toHaveLength(paths.length)
    }
    expect(await notesOf(forge, other, second)).toContain(`rebased the source branch onto \`main\`, as !${first.iid} was merged`)
  },
)

test('a branch of a fork is rebased there', inFullRun('2 s of processor. Branches of the project itself are rebased above.'), async () => {
  const forge = await testForge()
  const [maintainer, author] = [await forge.user(), await forge.user()]
  const project = await forge.project({ maintainer, visibility: 'public' })
  const { body: fork } = await forge.as(author).post(`/projects/${project.id}/fork`)
  await forge.drain()
  const id = (digit: string) => `I${digit.repeat(40)}`
  const requests: Request[] = []
  for (const [name, files] of [
    ['one', ['a']],
    ['two', ['a', 'b']],
  ] as const) {
    for (const [index, file] of files.entries()) {
      const sent = { branch: name, ...(index === 0 && { start_branch: 'main' }), author_name: name }
      const actions = [{ action: 'create', file_path: file, content: file }]
      const commit_message = `${file}\n\nChange-Id: ${id(file)}`
      await forge.as(author).post(`/projects/${fork.id}/repository/commits`, { ...sent, commit_message, actions })
    }
    const sent = { source_branch: name, target_branch: 'main', target_project_id: project.id, title: name }
    const { body, status } = await forge.as(author).post(`/projects/${fork.id}/merge_requests`, sent)
    expect(status).toBe(201)
    requests.push({ id: body.id, iid: body.iid, at: `/projects/${project.id}/merge_requests/${body.iid}` })
  }
  const [first, second] = requests as [Request, Request]
  await merge(forge, maintainer, first)
  await forge.drain()
  expect((await forge.as(author).get(`${second.at}/commits`)).body).toHaveLength(1)
  expect(await notesOf(forge, author, second)).toContain(`rebased the source branch onto \`main\`, as !${first.iid} was merged`)
  const dir = forge.app.git.open(fork.id).dir
  expect(await git(dir, 'rev-parse', 'two^')).toBe(await git(project.dir, 'rev-parse', 'main'))
})

/** Merges of a stack of four in random order, squashed or not, with their branches deleted at once, later or never. */
async function mergeAtRandom(random: () => number): Promise<void> {
  const forge = await testForge()
  const user = await forge.user()
  const project = await forge.project({ owner: user, commits: [{ message: 'First', files: { 'main.txt': 'main' } }] })
  const names = ['one', 'two', 'three', 'four']
  const requests = await makeStack(forge, user, project, names)
  const open = new Map(requests.map((request, index) => [names[index] as string, request]))
  // Expected content of each branch, if every rebase had applied cleanly.
  const contents = new Map<string, Set<string>>([['main', new Set()]])
  for (const [index, name] of names.entries()) contents.set(name, new Set(names.slice(0, index + 1)))
  const targets = new Map(names.map((name, index) => [name, names[index - 1] ?? 'main']))
  const merged = new Map<string, string>()
  const goneBranches = new Set<string>()
  const remove = (name: string) => {
    goneBranches.add(name)
    const into = merged.get(name) ?? 'main'
    for (const [other, target] of targets) if (open.has(other) && target === name) targets.set(other, into)
  }
  while (open.size > 0) {
    const left = [...open.keys()]
    const name = left[Math.floor(random() * left.length)] as string
    const target = targets.get(name) as string
    const when = ['at once', 'later', 'never'][Math.floor(random() * 3)]
    const squash = random() < 0.5
    const { status, body } = await merge(forge, user, open.get(name) as Request, {
      squash,
      should_remove_source_branch: when === 'at once',
    })
    expect([name, target, status, body.state, body.target_branch]).toEqual([name, target, 200, 'merged', target])
    open.delete(name)
    merged.set(name, target)
    for (const one of contents.get(name) ?? []) contents.get(target)?.add(one)
    if (when === 'later') await forge.as(user).delete(`/projects/${project.id}/repository/branches/${name}`)
    if (when !== 'never') remove(name)
    await forge.drain()
    for (const branch of contents.keys()) {
      if (goneBranches.has(branch)) continue
      const there = (await git(project.dir, 'show', `${branch}:lines`).catch(() => '')).split('\n').filter(Boolean)
      expect([branch, there]).toEqual([branch, names.filter((one) => contents.get(branch)?.has(one))])
    }
  }
}

test('a stack merged in any order leaves in its target exactly what was merged, each once', async () => {
  await mergeAtRandom(chanceOf('stack'))
})

test('many stacks merged in any order', inFullRun('30 s of processor. One stack is merged in random order above.'), async () => {
  for (let round = 1; round <= 12; round += 1) await mergeAtRandom(chanceOf(`stack ${round}`))
})
