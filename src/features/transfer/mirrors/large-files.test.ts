/** Large files travel with mirrors, between two Gitsteads: those that the mirrored commits name, and no others. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { lfsClient, oidOf, uniqueFile } from '../../../../test/support/fixtures/lfs.ts'
import { type Forge, openForge, type TestProject, type TestUser } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { atEndOfFile } from '../../../../test/support/run/cleanup.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { sshHost } from '../../../../test/support/ssh.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'

cpuBudget(8, 'Two servers, and git between them.')

interface Side {
  forge: Forge
  user: TestUser
}
let here: Side
let there: Side

beforeAll(async () => {
  const side = async (): Promise<Side> => {
    const forge = await openForge()
    await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
    // Answers about large files name the server.
    Object.assign(forge.app.config, { url: await forge.url() })
    return { forge, user: await forge.user() }
  }
  ;[here, there] = [await side(), await side()]
})

const projectAt = ({ forge, user }: Side, empty = false) => forge.project({ maintainer: user, ...(empty && { files: null }) })
const remoteOf = ({ forge, user }: Side, project: TestProject) => forge.remote(project, user)
const clientOf = ({ forge, user }: Side, project: TestProject) => lfsClient(forge, project, user)
const pointer = ({ oid, size }: { oid: string; size: number }) =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`

/** Commits a pointer to the branch, which begins at `main`. */
async function name({ forge, user }: Side, { id, dir }: TestProject, branch: string, file: { oid: string; size: number }): Promise<void> {
  const isNew = (await git(dir, 'for-each-ref', `refs/heads/${branch}`)) === ''
  const body = { branch, content: pointer(file), commit_message: 'Add it', ...(isNew && { start_branch: 'main' }) }
  expect((await forge.as(user).post(`/projects/${id}/repository/files/${file.oid.slice(0, 9)}`, body)).status).toBe(201)
}

/** A large file of the project, named by a commit to the branch. */
async function add(side: Side, project: TestProject, branch: string, size = 5_000) {
  const file = uniqueFile(size)
  expect((await clientOf(side, project).put(file.content)).status).toBe(200)
  await name(side, project, branch, file)
  return file
}

const has = async (side: Side, project: TestProject, { oid, content }: { oid: string; content: Buffer }) => {
  const got = await clientOf(side, project).get(oid)
  return got.status === 200 && got.bytes.equals(content)
}

async function mirror(source: TestProject, url: string, settings: object = {}) {
  const { forge, user } = here
  const at = `/projects/${source.id}/remote_mirrors`
  const { body } = await forge.as(user).post(at, { url, enabled: true, ...settings })
  return async () => {
    await forge.as(user).post(`${at}/${body.id}/sync`)
    await forge.drain()
    return (await forge.as(user).get(`${at}/${body.id}`)).body
  }
}

test(
  'a push mirror brings the large files of its branches, once, and not those of others',
  inFullRun('1 s of processor. A pull mirror fetches them by the same protocol, below.'),
  async () => {
    const [source, target] = [await projectAt(here), await projectAt(there, true)]
    const wanted = await add(here, source, 'wanted')
    const secret = await add(here, source, 'secret')
    const sync = await mirror(source, await remoteOf(there, target), { mirror_branch_regex: '^(main|wanted)$' })
    expect(await sync()).toMatchObject({ update_status: 'finished', last_error: null })
    expect([await has(there, target, wanted), await has(there, target, secret)]).toEqual([true, false])
    const later = await add(here, source, 'wanted', 0)
    expect((await sync()).last_error).toBe(null)
    expect(await has(there, target, later)).toBe(true)
    expect(await git(target.dir, 'rev-parse', 'wanted')).toBe(await git(source.dir, 'rev-parse', 'wanted'))
  },
)

test('a pull mirror fetches the large files before its branches move, and those that the other lacks are told', async () => {
  const [source, target] = [await projectAt(there), await projectAt(here, true)]
  const file = await add(there, source, 'main')
  const { forge, user } = here
  const at = `/projects/${target.id}/mirror/pull`
  await forge.as(user).put(at, { url: await remoteOf(there, source) })
  await forge.drain()
  expect([(await forge.as(user).get(at)).body.last_error, await has(here, target, file)]).toEqual([null, true])
  const missing = uniqueFile()
  await name(there, source, 'main', missing)
  await forge.as(user).post(at)
  await forge.drain()
  expect((await forge.as(user).get(at)).body.last_error).toMatch(
    /^The remote repository has no place for large files, or not all of them: 1 were/,
  )
  expect(await git(target.dir, 'rev-parse', 'main')).toBe(await git(source.dir, 'rev-parse', 'main'))
})

test(
  'over SSH they go by the address and the token that the other side gives',
  inFullRun('Half a second of processor. Over HTTP they go in the other tests.'),
  async () => {
    const [source, target] = [await projectAt(here), await projectAt(there, true)]
    const file = await add(here, source, 'main')
    const host = await sshHost({}, there.forge)
    const at = `/projects/${source.id}/remote_mirrors`
    const { body } = await here.forge.as(here.user).post(at, { url: host.remote(target), auth_method: 'ssh_public_key' })
    const { public_key } = (await here.forge.as(here.user).get(`${at}/${body.id}/public_key`)).body
    expect((await there.forge.as(there.user).post('/user/keys', { title: 'mirror', key: public_key })).status).toBe(201)
    await here.forge.as(here.user).put(`${at}/${body.id}`, { enabled: true })
    await here.forge.drain()
    expect((await here.forge.as(here.user).get(`${at}/${body.id}`)).body).toMatchObject({ update_status: 'finished', last_error: null })
    expect(await has(there, target, file)).toBe(true)
  },
)

test(
  'a server without large files gets the commits, and that is told; a project with them disabled sends none',
  inFullRun('Half a second of processor. The other tests have servers with large files.'),
  async () => {
    const [source, target] = [await projectAt(here), await projectAt(there, true)]
    await add(here, source, 'main')
    await there.forge.as(there.user).put(`/projects/${target.id}`, { lfs_enabled: false })
    const sync = await mirror(source, await remoteOf(there, target))
    expect(await sync()).toMatchObject({ update_status: 'failed', last_error: expect.stringMatching(/1 were not transferred$/) })
    expect(await git(target.dir, 'rev-parse', 'main')).toBe(await git(source.dir, 'rev-parse', 'main'))
    await here.forge.as(here.user).put(`/projects/${source.id}`, { lfs_enabled: false })
    await name(here, source, 'main', uniqueFile())
    expect((await sync()).last_error).toBe(null)
  },
)

/** A repository of the other Gitstead, whose large files are answered for by somebody else. */
async function impostor(target: TestProject, answer: (url: string) => object): Promise<string> {
  const upstream = new URL(await remoteOf(there, target))
  const server = createServer(async (request, response) => {
    if (request.url?.endsWith('/objects/batch')) {
      response.setHeader('content-type', 'application/vnd.git-lfs+json')
      return response.end(JSON.stringify(answer(`http://127.0.0.1:${port()}`)))
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>
    const body = Buffer.concat(chunks)
    const answered = await fetch(new URL(request.url ?? '', upstream.origin), {
      method: request.method ?? 'GET',
      headers,
      ...(body.length > 0 && { body }),
    })
    response.writeHead(answered.status, { 'content-type': answered.headers.get('content-type') ?? '' })
    return response.end(Buffer.from(await answered.arrayBuffer()))
  })
  const port = () => (server.address() as AddressInfo).port
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEndOfFile(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return `http://${upstream.username}:${upstream.password}@127.0.0.1:${port()}${upstream.pathname}`
}

test('bytes with another hash, a place that is forbidden, and what is no answer fail the run and change nothing', async () => {
  const [source, target] = [await projectAt(there), await projectAt(here, true)]
  const file = uniqueFile()
  await name(there, source, 'main', file)
  const { forge, user } = here
  const at = `/projects/${target.id}/mirror/pull`
  let download: { href: string; header?: object } | null = null
  const url = await impostor(source, (own) => ({
    objects: [{ oid: file.oid, size: file.size, actions: { download: download ?? { href: `${own}/objects/batch` } } }],
  }))
  const update = async () => {
    await forge.as(user).put(at, { url })
    await forge.drain()
    return (await forge.as(user).get(at)).body
  }
  expect(await update()).toMatchObject({ update_status: 'to_retry' })
  for (const href of ['ftp://127.0.0.1/x', 'http://user name@/', 'http://127.0.0.1:25/x']) {
    download = { href, header: { 'bad name': 'x', authorization: 'Basic a\r\nb: c' } }
    expect(await update()).toMatchObject({ update_status: 'to_retry' })
  }
  expect(await git(target.dir, 'for-each-ref')).toBe('')
  expect((await clientOf(here, target).get(file.oid)).status).toBe(404)
  expect(oidOf(file.content)).toBe(file.oid)
})
