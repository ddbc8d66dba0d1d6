/** The refs of merge requests are for those who see the merge requests, however they ask for them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shape } from '../../test/support/fixtures/history.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../test/support/forge.ts'
import { git, tryGit } from '../../test/support/git.ts'
import { cpuBudget } from '../../test/support/run/cpu.ts'
import { inFullRun } from '../../test/support/run/tiers.ts'
import { hasSsh, keyOf, sshHost, withKey } from '../../test/support/ssh.ts'

cpuBudget(6, 'Clones and fetches by git.')

let forge: Forge
let owner: TestUser
let stranger: TestUser
let project: TestProject
let home: string
let head: string

beforeAll(async () => {
  forge = await testForge()
  ;[owner, stranger] = [await forge.user(), await forge.user()]
  project = await forge.project({ owner, visibility: 'public' })
  await shape(project.dir, [{ branch: 'topic', parents: ['main'], files: { f: 'x\n' } }])
  await forge.as(owner).post(`/projects/${project.id}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'Topic' })
  await forge.drain()
  head = await git(project.dir, 'rev-parse', 'refs/merge-requests/1/head')
  // The ref is all that is left of it.
  await git(project.dir, 'update-ref', '-d', 'refs/heads/topic')
  await shape(project.dir, [{ branch: 'main', parents: ['main'], files: { f: 'y\n' } }])
  home = await mkdtemp(join(tmpdir(), 'gitstead-refs-'))
  await git(home, 'init', '--bare', '--quiet')
})

afterAll(() => rm(home, { recursive: true }))

const setLevel = (merge_requests_access_level: string) => forge.as(owner).put(`/projects/${project.id}`, { merge_requests_access_level })
const ref = 'refs/merge-requests/1/head'

interface Way {
  remote: string
  options: string[]
}

/** Git asks a public repository without credentials unless they are in a header. */
async function overHttp(user?: TestUser): Promise<Way> {
  const remote = new URL(await forge.remote(project, user))
  const credentials = Buffer.from(`${remote.username}:${remote.password}`).toString('base64')
  remote.username = remote.password = ''
  return { remote: remote.href, options: user ? ['-c', `http.extraHeader=Authorization: Basic ${credentials}`] : [] }
}

async function overSsh(user: TestUser): Promise<Way> {
  return { remote: (await sshHost()).remote(project), options: withKey(await keyOf(user)) }
}

/** Whether git lists the ref, fetches it, and clones what it doesn't lead to. */
async function shown({ remote, options }: Way, version: string) {
  const inVersion = [...options, '-c', `protocol.version=${version}`]
  const listed = await git(home, ...inVersion, 'ls-remote', remote)
  const fetched = await tryGit(home, ...inVersion, 'fetch', '--quiet', remote, ref)
  const excluding = await tryGit(home, ...inVersion, 'clone', '--bare', `--shallow-exclude=${ref}`, remote, 'excluding')
  await rm(join(home, 'excluding'), { recursive: true, force: true })
  return [listed.includes(ref), fetched.code === 0, excluding.code === 0]
}

const nothing = [false, false, false]
const everything = [true, true, true]

test.each(['0', '2'])('git shows and gives them to those who see merge requests alone (protocol %s)', async (version) => {
  await setLevel('enabled')
  for (const user of [undefined, stranger, owner]) expect(await shown(await overHttp(user), version)).toEqual(everything)
  for (const level of ['private', 'disabled']) {
    await setLevel(level)
    for (const user of level === 'private' ? [undefined, stranger] : [stranger])
      expect([level, await shown(await overHttp(user), version)]).toEqual([level, nothing])
    expect(await shown(await overHttp(owner), version)).toEqual(level === 'private' ? everything : nothing)
  }
})

test.skipIf(!hasSsh)(
  'over SSH as well, and no name for them makes an archive',
  inFullRun('3 s of processor. Over HTTP the same handle decides.'),
  async () => {
    await setLevel('private')
    expect(await shown(await overSsh(stranger), '2')).toEqual(nothing)
    expect(await shown(await overSsh(owner), '2')).toEqual(everything)
    const archived = async (user: TestUser, name: string) => {
      const { remote, options } = await overSsh(user)
      return (await tryGit(home, ...options, 'archive', `--remote=${remote}`, '--format=tar', name)).stdout.includes('f')
    }
    for (const name of [ref, 'merge-requests/1/head', `main-worktree/${ref}`, `${ref}:`]) {
      expect([name, await archived(stranger, name)]).toEqual([name, false])
    }
    expect(await archived(owner, ref)).toBe(true)
    expect(await archived(stranger, 'main')).toBe(true)
  },
)

test.each([
  `commits/${encodeURIComponent(ref)}`,
  `commits?ref_name=${ref}`,
  `commits/${encodeURIComponent(`${ref}~0`)}`,
  `tree?ref=${ref}`,
  `files/f?ref=${ref}`,
  `files/f/raw?ref=${ref}`,
  `archive.tar.gz?sha=${ref}`,
  `compare?from=main&to=${ref}`,
  `merge_base?refs[]=main&refs[]=${ref}`,
])('neither does the API: repository/%s', async (path) => {
  const at = `/projects/${project.id}/repository/${path}`
  await setLevel('private')
  const [seen, hidden] = [await forge.as(owner).get(at), await forge.as(stranger).get(at)]
  expect(seen.status).toBe(200)
  expect(hidden.status === 200 ? hidden.text : '').not.toContain(head)
  expect([hidden.status, hidden.text]).not.toEqual([200, seen.text])
})

test('what only they lead to is for those who know its whole id: a short one could be tried', async () => {
  await setLevel('private')
  const [blob, known] = [await git(project.dir, 'rev-parse', `${head}:f`), await git(project.dir, 'rev-parse', 'main')]
  const statusFor = async (user: TestUser, path: string) => (await forge.as(user).get(`/projects/${project.id}/repository/${path}`)).status
  for (const path of [`commits/${head.slice(0, 10)}`, `blobs/${blob.slice(0, 10)}`]) {
    expect([path, await statusFor(owner, path), await statusFor(stranger, path)]).toEqual([path, 200, 404])
  }
  for (const path of [`commits/${head}`, `blobs/${blob}`, `commits/${known.slice(0, 10)}`]) {
    expect([path, await statusFor(stranger, path)]).toEqual([path, 200])
  }
})

test('a CI file includes no file of theirs, and no archive of a release is made of them', async () => {
  await shape(project.dir, [{ branch: 'ci', parents: ['main'], files: { 'part.yml': 'job: { script: echo }\n' } }])
  const name = 'refs/merge-requests/2/head'
  await git(project.dir, 'update-ref', name, 'ci')
  await git(project.dir, 'update-ref', '-d', 'refs/heads/ci')
  const content = `include: [{ project: ${project.full_path}, ref: ${name}, file: part.yml }]`
  const places = new Map<TestUser, number>()
  for (const user of [owner, stranger]) places.set(user, (await forge.project({ owner: user })).id)
  const isValidFor = async (user: TestUser) =>
    ((await forge.as(user).post(`/projects/${places.get(user)}/ci/lint`, { content })).body as { valid: boolean }).valid
  const archiveFor = async (user: TestUser) => {
    const at = `${await forge.url()}/${project.full_path}/-/archive/${encodeURIComponent(ref)}/x.tar.gz`
    const reply = await fetch(at, { headers: { 'private-token': user.token } })
    await reply.body?.cancel()
    return reply.status
  }
  for (const [level, ofStranger] of [
    ['enabled', true],
    ['private', false],
  ] as const) {
    await setLevel(level)
    expect([await isValidFor(owner), await isValidFor(stranger)]).toEqual([true, ofStranger])
    expect([await archiveFor(owner), await archiveFor(stranger)]).toEqual([200, ofStranger ? 200 : 404])
  }
})

test('a fork by somebody who can’t see them has none of their objects', async () => {
  const has = async (user: TestUser) => {
    const { body } = await forge.as(user).post(`/projects/${project.id}/fork`, { path: `fork-${user.id}` })
    await forge.drain()
    return (await tryGit(forge.app.git.open((body as { id: number }).id).dir, 'cat-file', '-e', head)).code === 0
  }
  await setLevel('private')
  await git(project.dir, 'repack', '-a', '-d', '--quiet')
  expect(await has(stranger)).toBe(false)
})
