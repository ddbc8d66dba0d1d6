/** Collaboration: those who may merge a merge request of a fork push to its source branch, and do nothing else in the fork. */
import { beforeAll, expect, test } from 'vitest'
import { clone, commit } from '../../../../test/scripts/git/wire.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, tryGit } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { hasSsh, keyOf, sshHost, withKey } from '../../../../test/support/ssh.ts'

cpuBudget(7, 'Each rank pushes to a fork, over HTTP and SSH.')

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

interface Collaboration {
  maintainer: TestUser
  developer: TestUser
  forker: TestUser
  source: TestProject
  fork: TestProject
  /** Path of the merge request. */
  at: string
}

/** A fork with the branches `topic` and `aside`; `topic` is proposed to the source, with collaboration unless refused. */
async function collaboration({ allow_collaboration = true }: { allow_collaboration?: boolean } = {}): Promise<Collaboration> {
  const [maintainer, developer, forker] = [await forge.user(), await forge.user(), await forge.user()]
  const source = await forge.project({ maintainer, developer, visibility: 'public' })
  const made = await forge.as(forker).post(`/projects/${source.id}/fork`)
  await forge.drain()
  const fork = { ...made.body, full_path: made.body.path_with_namespace, dir: forge.app.git.open(made.body.id).dir }
  for (const branch of ['topic', 'aside']) expect((await change(forker, fork, branch, { start_branch: 'main' })).status).toBe(201)
  const proposed = await forge.as(forker).post(`/projects/${fork.id}/merge_requests`, {
    source_branch: 'topic',
    target_branch: 'main',
    title: 'Topic',
    target_project_id: source.id,
    allow_collaboration,
  })
  expect(proposed.status).toBe(201)
  return { maintainer, developer, forker, source, fork, at: `/projects/${source.id}/merge_requests/${proposed.body.iid}` }
}

let counter = 0

/** A commit through the API. */
function change(user: TestUser, { id }: { id: number }, branch: string, more: object = {}) {
  const actions = [{ action: 'create', file_path: `file-${++counter}`, content: 'x' }]
  return forge.as(user).post(`/projects/${id}/repository/commits`, { branch, commit_message: 'Change', actions, ...more })
}

const tipOf = ({ dir }: TestProject, branch = 'topic') => git(dir, 'rev-parse', `refs/heads/${branch}`)

for (const protocol of ['http', 'ssh'] as const) {
  test.skipIf(protocol === 'ssh' && !hasSsh)(
    `over ${protocol}, who may merge pushes to the branch, and to no other ref of the fork`,
    protocol === 'ssh' ? inFullRun('1 s of processor. The same rule is asked over HTTP, and `ssh-push.test.ts` pushes over SSH.') : {},
    async () => {
      const { maintainer, developer, fork } = await collaboration()
      const remote = protocol === 'http' ? await forge.remote(fork, maintainer) : (await sshHost()).remote(fork)
      const options = protocol === 'http' ? [] : withKey(await keyOf(maintainer))
      const dir = await clone(await forge.remote(fork, maintainer))
      await git(dir, 'checkout', '--quiet', 'topic')
      const made = await commit(dir, { added: 'by a maintainer' })
      const push = (...refs: string[]) => tryGit(dir, ...options, 'push', remote, ...refs)

      expect((await push('HEAD:topic')).code).toBe(0)
      expect(await tipOf(fork)).toBe(made)

      const next = await commit(dir, { added: 'again' })
      const before = await git(fork.dir, 'for-each-ref')
      for (const ref of [
        'HEAD:aside',
        'HEAD:main',
        'HEAD:refs/heads/new',
        'HEAD:refs/tags/v9',
        ':topic',
        ':aside',
        'HEAD:refs/notes/commits',
      ]) {
        const { code, stderr } = await push(ref.replace(/^(?=HEAD)/, '+'))
        expect([ref, code, stderr.includes('not allowed to push code')]).toEqual([ref, 1, true])
      }
      // One that is allowed doesn't carry others with it.
      expect((await push('HEAD:topic', '+HEAD:aside')).code).toBe(1)
      expect(await git(fork.dir, 'for-each-ref')).toBe(before)
      expect((await push('HEAD:topic')).code).toBe(0)
      expect(await tipOf(fork)).toBe(next)
      // A developer may not merge into the protected branch that it goes to.
      const others = protocol === 'http' ? await forge.remote(fork, developer) : remote
      const by = protocol === 'http' ? [] : withKey(await keyOf(developer))
      await commit(dir, { added: 'by a developer' })
      expect((await tryGit(dir, ...by, 'push', others, 'HEAD:topic')).code).not.toBe(0)
    },
  )
}

test(
  'commits through the API and rebases go to the branch, and nowhere else',
  inFullRun('Half a second of processor. The same rule lets pushes in, above.'),
  async () => {
    const { maintainer, developer, source, fork, at } = await collaboration()
    expect((await change(maintainer, fork, 'topic')).status).toBe(201)
    expect((await change(maintainer, fork, 'aside')).status).toBe(403)
    expect((await change(maintainer, fork, 'fresh', { start_branch: 'topic' })).status).toBe(403)
    expect((await change(developer, fork, 'topic')).status).toBe(403)
    expect((await change(maintainer, source, 'main')).status).toBe(201)
    expect((await forge.as(developer).put(`${at}/rebase`)).status).toBe(403)
    expect((await forge.as(maintainer).put(`${at}/rebase`)).status).toBe(202)
    expect(await git(fork.dir, 'merge-base', 'topic', await tipOf(source, 'main'))).toBe(await tipOf(source, 'main'))
  },
)

test('a collaborator is no member: branches, tags, files, settings, locks and private data of the fork stay closed', async () => {
  const { maintainer, fork } = await collaboration()
  const client = forge.as(maintainer)
  const base = `/projects/${fork.id}`
  const refused = [
    await client.post(`${base}/repository/branches`, { branch: 'fresh', ref: 'topic' }),
    await client.delete(`${base}/repository/branches/topic`),
    await client.post(`${base}/repository/tags`, { tag_name: 'v1', ref: 'topic' }),
    await client.put(base, { description: 'Mine' }),
    await client.get(`${base}/hooks`),
    await client.get(`${base}/deploy_keys`),
    await client.post(`${base}/statuses/${await tipOf(fork)}`, { state: 'success' }),
    await client.post(`${base}/protected_branches`, { name: 'topic' }),
  ]
  for (const { status } of refused) expect([403, 404]).toContain(status)
  const url = (await forge.remote(fork, maintainer)).replace(/\/\/[^@]*@/, '//')
  const authorization = `Basic ${Buffer.from(`${maintainer.username}:${maintainer.token}`).toString('base64')}`
  const type = 'application/vnd.git-lfs+json'
  const locked = await fetch(`${url}/info/lfs/locks`, {
    method: 'POST',
    headers: { authorization, accept: type, 'content-type': type },
    body: JSON.stringify({ path: 'a' }),
  })
  expect(locked.status).toBe(403)
  await locked.body?.cancel()
})

test('the right to push ends with the request, the permission, the access to either project, or protection of the branch', async () => {
  const { maintainer, forker, source, fork, at } = await collaboration()
  const may = async () => (await change(maintainer, fork, 'topic')).status
  const [author, owner] = [forge.as(forker), forge.as(forge.root)]
  expect(await may()).toBe(201)
  await author.put(at, { allow_collaboration: false })
  expect(await may()).toBe(403)
  await author.put(at, { allow_collaboration: true })
  expect(await may()).toBe(201)
  await author.put(at, { state_event: 'close' })
  expect(await may()).toBe(403)
  await author.put(at, { state_event: 'reopen' })
  await author.post(`/projects/${fork.id}/protected_branches`, { name: 'to*' })
  expect(await may()).toBe(403)
  await author.delete(`/projects/${fork.id}/protected_branches/to*`)
  expect(await may()).toBe(201)
  await owner.post(`/projects/${fork.id}/archive`)
  expect(await may()).toBe(403)
  await owner.post(`/projects/${fork.id}/unarchive`)
  await owner.put(`/projects/${source.id}`, { merge_requests_access_level: 'disabled' })
  expect(await may()).toBe(403)
  await owner.put(`/projects/${source.id}`, { merge_requests_access_level: 'enabled' })
  await owner.put(`/projects/${fork.id}/members/${maintainer.id}`, {})
  await owner.post(`/projects/${fork.id}/members`, { user_id: maintainer.id, access_level: 10 })
  expect(await may()).toBe(201)
  await owner.put(`/projects/${fork.id}`, { visibility: 'private' })
  expect(await may()).toBe(403)
  await owner.put(`/projects/${fork.id}`, { visibility: 'public' })
  await owner.put(`/projects/${source.id}/members/${maintainer.id}`, { access_level: 30 })
  expect(await may()).toBe(403)
})

test('only who may push to the fork opens it, and only of what others can see', async () => {
  const { maintainer, source, fork, at } = await collaboration({ allow_collaboration: false })
  expect((await change(maintainer, fork, 'topic')).status).toBe(403)
  // Maintainers of the target manage the merge request, but can't open the fork's branch to themselves.
  const edited = await forge.as(maintainer).put(at, { allow_collaboration: true, title: 'Edited' })
  expect([edited.body.title, edited.body.allow_collaboration]).toEqual(['Edited', false])
  expect((await change(maintainer, fork, 'topic')).status).toBe(403)
  // Nor can somebody by a merge request of their own, to a project of theirs.
  const thief = await forge.user()
  const mine = (await forge.as(thief).post(`/projects/${source.id}/fork`, { path: 'thief' })).body
  await forge.drain()
  const body = { source_branch: 'topic', target_branch: 'main', title: 'Mine', target_project_id: mine.id, allow_collaboration: true }
  expect((await forge.as(thief).post(`/projects/${fork.id}/merge_requests`, body)).status).toBe(403)
})
