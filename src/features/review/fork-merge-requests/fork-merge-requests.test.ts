/** Merge requests within a network of forks: who may propose what to whom, what of a private fork can be seen, and what ends them. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'

cpuBudget(7, 'Every member of a network proposes to every other, by git.')

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

interface Network {
  owner: TestUser
  forker: TestUser
  source: TestProject
  fork: TestProject
}

/** A project and a fork of it that has a branch `topic`. */
async function network(visibility: 'public' | 'private' = 'public'): Promise<Network> {
  const [owner, forker] = [await forge.user(), await forge.user()]
  const source = await forge.project({ owner, reporter: forker, visibility })
  return { owner, forker, source, fork: await forkOf(source, forker) }
}

async function forkOf(source: { id: number }, user: TestUser, name = `fork-${++counter}`): Promise<TestProject> {
  const made = await forge.as(user).post(`/projects/${source.id}/fork`, { name, path: name })
  if (made.status !== 201) throw new Error(made.text)
  await forge.drain()
  const id = made.body.id as number
  const { status } = await forge.as(user).get(`/projects/${id}/repository/branches/topic`)
  if (status === 404) await addBranch(id, user, 'topic')
  return { ...made.body, id, dir: forge.app.git.open(id).dir }
}

let counter = 0

async function addBranch(id: number, user: TestUser, branch: string): Promise<string> {
  const commit = {
    branch,
    start_branch: 'main',
    commit_message: `Change of ${branch}`,
    actions: [{ action: 'create', file_path: branch, content: branch }],
  }
  const { status, text, body } = await forge.as(user).post(`/projects/${id}/repository/commits`, commit)
  if (status !== 201) throw new Error(text)
  return body.id
}

const propose = (user: TestUser, from: { id: number }, to: { id: number } | null, more: object = {}) =>
  forge.as(user).post(`/projects/${from.id}/merge_requests`, {
    source_branch: 'topic',
    target_branch: 'main',
    title: 'Change it',
    ...(to && { target_project_id: to.id }),
    ...more,
  })

/** The projects of the newest merge requests that are listed to the user. */
const targetsSeenBy = async (user: TestUser): Promise<number[]> =>
  ((await forge.as(user).get('/merge_requests?scope=all&per_page=100')).body as Array<{ project_id: number }>).map(
    ({ project_id }) => project_id,
  )

const stateOf = async ({ id }: { id: number }, iid = 1) => {
  const { body } = await forge.as(forge.root).get(`/projects/${id}/merge_requests/${iid}`)
  return body.state
}

test(
  'every member of a network proposes to every other: fork to source, fork to fork, source to fork',
  inFullRun('1 s of processor. The other tests propose from a fork to its source.'),
  async () => {
    const { owner, source, fork, forker } = await network()
    const sister = await forkOf(source, await forge.user())
    const below = await forkOf(fork, await forge.user())
    await addBranch(source.id, owner, 'topic')
    const owners = { [source.id]: owner, [fork.id]: forker }
    for (const [from, to] of [
      [fork, source],
      [source, fork],
      [fork, sister],
      [fork, below],
    ] as const) {
      const { status, body } = await propose(owners[from.id] as TestUser, from, to)
      expect([status, body.source_project_id, body.target_project_id, body.project_id]).toEqual([201, from.id, to.id, to.id])
      const head = await git(from.dir, 'rev-parse', 'topic')
      expect(await git(to.dir, 'rev-parse', `refs/merge-requests/${body.iid}/head`)).toBe(head)
    }
  },
)

test('a project of no relation gets no merge request, whatever it is called', async () => {
  const { forker, fork } = await network()
  const stranger = await forge.project({ owner: await forge.user(), visibility: 'public' })
  const { status, body } = await propose(forker, fork, stranger)
  expect([status, body]).toEqual([422, { message: ['Source project is not a fork of the target project'] }])
  expect(await forge.app.db.selectFrom('merge_requests').select('id').where('project_id', '=', stranger.id).execute()).toEqual([])
  const { oid } = { oid: await git(fork.dir, 'rev-parse', 'topic') }
  await expect(git(stranger.dir, 'cat-file', '-e', oid)).rejects.toThrow()
})

test('nobody proposes from a fork they may not push to, nor into a project they cannot see', async () => {
  const { source, fork, forker, owner } = await network('private')
  const [reader, outsider] = [await forge.user(), await forge.user()]
  await forge.as(forge.root).post(`/projects/${fork.id}/members`, { user_id: reader.id, access_level: 20 })
  await forge.as(forge.root).post(`/projects/${source.id}/members`, { user_id: reader.id, access_level: 30 })
  // They may read the fork and write to the source: the code of the fork is not theirs to publish there.
  expect((await propose(reader, fork, source)).status).toBe(403)
  expect((await propose(owner, fork, source)).status).toBe(404)
  expect((await propose(outsider, fork, source)).status).toBe(404)
  await forge.as(forge.root).post(`/projects/${fork.id}/members`, { user_id: outsider.id, access_level: 30 })
  const hidden = await propose(outsider, fork, source)
  const missing = await propose(outsider, fork, { id: 999_999 })
  expect([hidden.status, hidden.body]).toEqual([missing.status, missing.body])
  expect(hidden.status).toBe(404)
  expect((await propose(forker, fork, source)).status).toBe(201)
})

test('of a private fork readers of the target see what is proposed, and nothing else', async () => {
  const { source, fork, forker } = await network('public')
  await forge.as(forker).put(`/projects/${fork.id}`, { visibility: 'private' })
  const secret = await addBranch(fork.id, forker, 'secret')
  const { body: made } = await propose(forker, fork, source)
  const reader = forge.as(await forge.user())
  const at = `/projects/${source.id}/merge_requests/${made.iid}`
  expect((await reader.get(`${at}/changes`)).body.changes.map(({ new_path }: { new_path: string }) => new_path)).toEqual(['topic'])
  expect((await reader.get(`/projects/${source.id}/repository/commits/${made.sha}`)).status).toBe(200)
  for (const path of [
    `/projects/${fork.id}`,
    `/projects/${fork.id}/merge_requests`,
    `/projects/${fork.id}/repository/commits/${made.sha}`,
    `/projects/${source.id}/repository/commits/${secret}`,
    `/projects/${source.id}/repository/files/secret?ref=${secret}`,
    `/projects/${source.id}/repository/archive?sha=${secret}`,
  ])
    expect([path, (await reader.get(path)).status]).toEqual([path, 404])
  await expect(git(source.dir, 'cat-file', '-e', secret)).rejects.toThrow()
  // Neither its name nor its path.
  const everything = [await reader.get(at), await reader.get(`/projects/${source.id}/merge_requests`), await reader.get(`${at}/versions`)]
  for (const { text } of everything) expect(text).not.toMatch(new RegExp(`${fork.path}|${forker.username}/${fork.path}`))
})

test('who loses access to the target sees nothing of their request any more, and changes nothing in it', async () => {
  const { source, fork, forker } = await network('private')
  const { body: made } = await propose(forker, fork, source)
  await forge.as(forge.root).delete(`/projects/${source.id}/members/${forker.id}`)
  const at = `/projects/${source.id}/merge_requests/${made.iid}`
  for (const path of [at, `${at}/changes`, `${at}/notes`, `${at}/commits`, `${at}/versions`])
    expect([path, (await forge.as(forker).get(path)).status]).toEqual([path, 404])
  expect((await forge.as(forker).put(at, { title: 'Mine' })).status).toBe(404)
  expect(await targetsSeenBy(forker)).not.toContain(source.id)
  expect((await propose(forker, fork, source, { target_branch: 'other' })).status).toBe(404)
})

test('a fork that is deleted closes what it proposes; the discussion, the commits and the diff stay', async () => {
  const { source, fork, forker, owner } = await network()
  const { body: made } = await propose(forker, fork, source)
  await forge.as(forker).delete(`/projects/${fork.id}`)
  await forge.drain()
  const at = `/projects/${source.id}/merge_requests/${made.iid}`
  const { body } = await forge.as(owner).get(at)
  expect([body.state, body.source_project_id, body.sha]).toEqual(['closed', null, made.sha])
  expect((await forge.as(owner).get(`${at}/changes`)).body.changes).toHaveLength(1)
  expect((await forge.as(owner).get(`${at}/commits`)).body).toHaveLength(1)
  expect((await forge.as(owner).put(at, { state_event: 'reopen' })).body.state).toBe('closed')
  expect((await forge.as(owner).get('/merge_requests?scope=all&state=all')).status).toBe(200)
})

test(
  'a user who is deleted with their forks leaves their requests closed, as the Ghost User’s',
  inFullRun('Half a second of processor. A fork that is deleted closes what it proposes, above.'),
  async () => {
    const { source, fork, forker, owner } = await network()
    const { body: made } = await propose(forker, fork, source)
    expect((await forge.as(forge.root).delete(`/users/${forker.id}`)).status).toBe(204)
    await forge.drain()
    const { body } = await forge.as(owner).get(`/projects/${source.id}/merge_requests/${made.iid}`)
    expect([body.state, body.author.username]).toEqual(['closed', 'ghost'])
  },
)

test(
  'a fork relation that ends closes what was proposed through it, and nothing new is',
  inFullRun('1 s of processor. A fork that is deleted closes what it proposes, above.'),
  async () => {
    const { source, fork, forker } = await network()
    await propose(forker, fork, source)
    await propose(forker, fork, fork)
    expect((await forge.as(forker).delete(`/projects/${fork.id}/fork`)).status).toBe(204)
    expect([await stateOf(source), await stateOf(fork)]).toEqual(['closed', 'opened'])
    expect((await propose(forker, fork, source)).status).toBe(422)
  },
)

test(
  'a target that is deleted takes its requests with it, and leaves the fork as it is',
  inFullRun('Half a second of processor. A fork that is deleted closes what it proposes, above.'),
  async () => {
    const { source, fork, forker, owner } = await network()
    await propose(forker, fork, source)
    await forge.as(owner).delete(`/projects/${source.id}`)
    await forge.drain()
    const left = await forge.app.db.selectFrom('merge_requests').select('id').where('source_project_id', '=', fork.id).execute()
    expect(left).toEqual([])
    expect((await forge.as(forker).get(`/projects/${fork.id}/repository/branches/topic`)).status).toBe(200)
  },
)

test(
  'requests move with their projects, and are found under the new addresses',
  inFullRun('Half a second of processor. `state.test.ts` moves a project with everything in it.'),
  async () => {
    const { source, fork, forker, owner } = await network()
    const { body: made } = await propose(forker, fork, source)
    const group = await forge.group({ owner, visibility: 'public' })
    expect((await forge.as(forge.root).put(`/projects/${source.id}/transfer`, { namespace: group.id })).status).toBe(200)
    const { body } = await forge.as(forker).get(`/projects/${encodeURIComponent(`${group.full_path}/${source.path}`)}/merge_requests/1`)
    expect([body.id, body.state, body.source_project_id]).toEqual([made.id, 'opened', fork.id])
    expect(body.web_url).toContain(`/${group.full_path}/${source.path}/merge_requests/1`)
  },
)

test('a source made private hides its merge requests from strangers, and those of its public forks', async () => {
  const { source, fork, forker, owner } = await network()
  const { body: made } = await propose(forker, fork, source)
  const someone = await forge.user()
  const stranger = forge.as(someone)
  expect((await stranger.get(`/projects/${source.id}/merge_requests/${made.iid}`)).status).toBe(200)
  expect(await targetsSeenBy(someone)).toContain(source.id)
  await forge.as(owner).put(`/projects/${source.id}`, { visibility: 'private' })
  expect((await stranger.get(`/projects/${source.id}/merge_requests/${made.iid}`)).status).toBe(404)
  expect(await targetsSeenBy(someone)).not.toContain(source.id)
  expect((await stranger.get(`/projects/${fork.id}`)).status).toBe(404)
})
