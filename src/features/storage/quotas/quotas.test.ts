/** Quotas: what is full refuses with a sentence, whichever way the bytes come, and the sizes are kept without walking anything. */
import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type Forge, openForge, type TestProject, type TestUser } from '../../../../test/support/forge.ts'
import { asForm } from '../../../../test/support/form.ts'
import { type GitResult, git, tryGit } from '../../../../test/support/git.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { assertRoomIn, maxPush_bytes, roomsOf, setLimits } from './quotas.ts'

const mib = 1024 * 1024
let forge: Forge

beforeAll(async () => {
  forge = await openForge()
})

async function clone(project: TestProject, owner: TestUser): Promise<string> {
  const work = join(await forge.folder(), `clone-${project.id}`)
  await git(await forge.folder(), 'clone', '-q', await forge.remote(project, owner), work)
  return work
}

async function pushOf(work: string, bytes: number, ref = 'main'): Promise<GitResult> {
  await writeFile(join(work, 'big.bin'), randomBytes(bytes))
  await git(work, 'add', '-A')
  await git(work, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'Big')
  return tryGit(work, 'push', 'origin', `HEAD:${ref}`)
}

test('a repository that is full takes no push, no commit of the API and no large file, but loses branches', async () => {
  const owner = await forge.user()
  const project = await forge.project({ owner })
  const [me, root] = [forge.as(owner), forge.as(forge.root)]
  expect((await me.put(`/projects/${project.id}`, { repository_size_limit: 5 })).status).toBe(403)
  expect((await root.put(`/projects/${project.id}`, { repository_size_limit: 1 })).status).toBe(200)
  expect((await root.get(`/projects/${project.id}/storage`)).body.repository_size_limit).toBe(1)
  const events = (await root.get(`/projects/${project.id}/audit_events`)).body
  expect(events[0]).toMatchObject({ event_name: 'size_limit_changed', details: { change: 'repository_size_limit', from: null, to: 1 } })
  const work = await clone(project, owner)
  expect((await pushOf(work, 1_000, 'small')).code).toBe(0)

  const refused = await pushOf(work, 2 * mib)
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toMatch(/The repository of this project is full: it holds .* of 1 MB, and this takes 2 MB more/)
  expect(await git(project.dir, 'branch', '--contains', 'main')).toContain('small')

  const oid = createHash('sha256').update('x').digest('hex')
  const lfs = `${await forge.remote(project, owner)}/info/lfs/objects`.replace(/\/\/[^@]+@/, '//')
  const headers = {
    authorization: `Basic ${Buffer.from(`${owner.username}:${owner.token}`).toString('base64')}`,
    'content-type': 'application/vnd.git-lfs+json',
  }
  const batch = async (size: number) => {
    const body = JSON.stringify({ operation: 'upload', objects: [{ oid, size }] })
    return (await (await fetch(`${lfs}/batch`, { method: 'POST', headers, body })).json()) as { objects: [{ error?: { code: number } }] }
  }
  expect((await batch(2 * mib)).objects[0].error).toMatchObject({ code: 507, message: expect.stringContaining('ask an administrator') })
  expect((await batch(1)).objects[0].error).toBeUndefined()

  await forge.app.db.updateTable('projects').set({ repository_size: mib }).where('id', '=', project.id).execute()
  const sent = await fetch(`${lfs}/${oid}`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: 'x',
  })
  expect([sent.status, await sent.text()]).toEqual([403, expect.stringContaining('is full')])
  const file = { branch: 'main', content: 'x', commit_message: 'x' }
  const commit = await me.post(`/projects/${project.id}/repository/files/new.txt`, file)
  expect([commit.status, commit.body.message]).toEqual([400, expect.stringContaining('The repository of this project is full')])
  const nearlyFull = await tryGit(work, 'push', 'origin', ':small')
  expect([nearlyFull.code, nearlyFull.stderr]).toEqual([
    0,
    expect.stringMatching(/remote: Gitstead: The repository of this project is nearly full: it holds 1 MB of 1 MB/),
  ])
  await root.put(`/projects/${project.id}`, { repository_size_limit: 0 })
  expect((await me.post(`/projects/${project.id}/repository/files/new.txt`, file)).status).toBe(201)
})

test('git itself stops a push that is far too large, before anything of it is stored', async () => {
  const owner = await forge.user()
  const project = await forge.project({ owner })
  const work = await clone(project, owner)
  await writeSettings(forge.app.db, { receive_max_input_size: 1 })
  const refused = await pushOf(work, 3 * mib, 'large')
  await writeSettings(forge.app.db, { receive_max_input_size: null })
  expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining('maximum allowed size')])
  expect(Number(/^size-pack: (\d+)$/m.exec(await git(project.dir, 'count-objects', '-v'))?.[1])).toBeLessThan(1_024)
})

test('each file of a project counts for its groups from its arrival to its removal, and one that doesn’t fit is refused', async () => {
  const owner = await forge.user()
  const top = await forge.group({ owner })
  const group = await forge.group({ parent: top })
  const project = await forge.project({ group, developer: owner })
  const [me, root] = [forge.as(owner), forge.as(forge.root)]
  const upload = (bytes: number) => {
    const { payload, headers } = asForm({ file: Buffer.alloc(bytes, 1) })
    return me.post(`/projects/${project.id}/uploads`, payload, { headers })
  }
  const pack = (name: string, bytes: number) =>
    me.request('PUT', `/projects/${project.id}/packages/generic/${name}/1.0/a.bin`, Buffer.alloc(bytes, 1), {
      headers: { 'content-type': 'application/octet-stream' },
    })
  const statistics = async () => (await me.get(`/projects/${project.id}?statistics=true`)).body.statistics
  expect((await upload(1_000)).status).toBe(201)
  expect((await pack('one', 2_000)).status).toBe(201)
  expect((await pack('two', 4_000)).status).toBe(201)
  expect(await statistics()).toMatchObject({ uploads_size: 1_000, packages_size: 6_000, job_artifacts_size: 0 })
  const { body: packages } = await me.get(`/projects/${project.id}/packages?order_by=name&sort=asc`)
  await root.delete(`/projects/${project.id}/packages/${packages[0].id}`)
  const { storage_size, repository_size } = await statistics()
  expect(storage_size - repository_size).toBe(5_000)
  const { body: groups } = await root.get(`/groups?statistics=true&search=${group.path}`)
  expect(groups[0].statistics).toMatchObject({ uploads_size: 1_000, packages_size: 4_000 })
  const state = `/projects/${project.id}/terraform/state/one`
  const write = (serial: number, bytes: number) => root.post(state, { serial, filler: 'x'.repeat(bytes) })
  const addSecret = (name: string, bytes: number) => {
    const { payload, headers } = asForm({ name, file: Buffer.alloc(bytes, 1) })
    return root.post(`/projects/${project.id}/secure_files`, payload, { headers })
  }
  const sealed = async (): Promise<number[]> => {
    const { terraform_states_size, secure_files_size, storage_size: all, repository_size: code } = await statistics()
    expect(all - code - terraform_states_size - secure_files_size).toBe(5_000)
    return [terraform_states_size, secure_files_size].map((bytes) => Math.floor(bytes / 1_000))
  }
  for (const serial of [1, 2, 2]) expect((await write(serial, 3_000)).status).toBe(200)
  const { body: secret } = await addSecret('one', 7_000)
  expect(await sealed()).toEqual([6, 7])
  expect((await root.delete(`${state}/versions/1`)).status).toBe(204)
  expect(await sealed()).toEqual([3, 7])

  expect((await me.put(`/groups/${top.id}`, { storage_size_limit: 5 })).status).toBe(403)
  await root.put(`/groups/${top.id}`, { storage_size_limit: 1 })
  const full = await upload(mib)
  expect([full.status, full.body.message]).toEqual([403, expect.stringContaining(`The storage of ${top.full_path} is full`)])
  expect((await pack('three', mib)).status).toBe(403)
  expect([(await write(3, mib)).status, (await addSecret('two', mib)).status]).toEqual([403, 403])
  const setUploads = (uploads_size: number) =>
    forge.app.db.updateTable('stored_sizes').set({ uploads_size }).where('project_id', '=', project.id).execute()
  await setUploads(1_000 + mib)
  const lock = await root.post(`${state}/lock`, { ID: 'one' })
  expect([lock.status, lock.body.message]).toEqual([403, expect.stringContaining(`The storage of ${top.full_path} is full`)])
  await setUploads(1_000)
  expect((await root.delete(state)).status).toBe(200)
  expect((await root.delete(`/projects/${project.id}/secure_files/${secret.id}`)).status).toBe(204)
  expect(await sealed()).toEqual([0, 0])
  await expect(assertRoomIn(forge.app, project.id, mib)).rejects.toMatchObject({ code: 'limit_reached' })
  expect((await upload(1_000)).status).toBe(201)
  await root.put(`/groups/${top.id}`, { storage_size_limit: null })
  expect([(await upload(mib)).status, (await write(1, 100)).status, (await addSecret('last', 100)).status]).toEqual([201, 200, 201])
  expect((await root.delete(`/projects/${project.id}`)).status).toBe(202)
  expect((await root.get(`/projects/${project.id}`)).status).toBe(404)
})

test('the nearest repository limit applies, and every storage limit above, for a fixed number of statements', async () => {
  const owner = await forge.user()
  const top = await forge.group({ owner })
  const group = await forge.group({ parent: top })
  const [maintainer, developer] = [await forge.user(), await forge.user()]
  const project = await forge.project({ group, maintainer, developer })
  const own = await forge.project({ owner })
  const { app } = forge
  const limits = async (of: TestProject) => (await roomsOf(app, of)).map(({ what, limit_bytes }) => [what, limit_bytes / mib])
  const repository = 'The repository of this project'
  const looks = [() => roomsOf(app, project), () => maxPush_bytes(app, project)]
  const unlimited = []
  for (const look of looks) unlimited.push((await forge.cost(look)).statements)
  expect(unlimited.map((statements) => statements <= 1)).toEqual([true, true])
  expect(await limits(project)).toEqual([])
  await writeSettings(app.db, { repository_size_limit: 7, namespace_storage_size_limit: 9 })
  expect(await limits(own)).toEqual([
    [repository, 7],
    [`The storage of ${owner.username}`, 9],
  ])
  await setLimits(app.db, { namespace_id: top.id }, { repository_size_limit: 5 })
  await setLimits(app.db, { namespace_id: group.id }, { storage_size_limit: 3 })
  expect(await limits(project)).toEqual([
    [`The storage of ${group.full_path}`, 3],
    [repository, 5],
    [`The storage of ${top.full_path}`, 9],
  ])
  const shown = async (user: TestUser, path: string) => (await forge.as(user).get(`${path}?statistics=true`)).body.storage_limits
  const [kind, used, description] = ['storage', expect.any(Number), expect.any(String)]
  const ofGroup = { kind, used, description, limit: 3 * mib, set_for: group.full_path }
  const ofTop = { kind, used, description, limit: 9 * mib, set_for: null }
  expect(await shown(maintainer, `/projects/${project.id}`)).toEqual([
    ofGroup,
    { kind: 'repository', used, description: repository, limit: 5 * mib, set_for: top.full_path },
    ofTop,
  ])
  expect(await shown(owner, `/groups/${group.id}`)).toEqual([ofGroup, ofTop])
  expect([await shown(developer, `/projects/${project.id}`), await shown(maintainer, `/groups/${group.id}`)]).toEqual([
    undefined,
    undefined,
  ])
  expect((await forge.as(forge.root).put(`/users/${owner.id}`, { storage_size_limit: 0 })).status).toBe(200)
  expect(await limits(own)).toEqual([[repository, 7]])
  const { statements } = await forge.cost(() => roomsOf(app, project))
  for (let more = 0; more < 3; more += 1) await forge.project({ group, files: null })
  expect([statements, (await forge.cost(() => roomsOf(app, project))).statements]).toEqual([2, 2])
  expect((await forge.cost(() => maxPush_bytes(app, project))).statements).toBe(2)
  await writeSettings(app.db, { repository_size_limit: 0, namespace_storage_size_limit: 0 })
})
