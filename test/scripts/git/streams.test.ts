/** How many clones, pushes and downloads are under way at once, and what becomes of clients that fall silent. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { SshKey } from '../../../src/db/tables.ts'
import type { LimitConfig } from '../../../src/limits/settings.ts'
import { openLimits } from '../../../src/limits/streams.ts'
import { runCommand } from '../../../src/transport/ssh/run-command.ts'
import { lfsClient, oidOf, uniqueFile } from '../../support/fixtures/lfs.ts'
import { type Forge, openForge, type TestProject } from '../../support/forge.ts'
import { git, tryGit } from '../../support/git.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { basic, flush, packet, processesOn } from './wire.ts'

let forge: Forge
/** Public, with more bytes than connections hold, so that an answer nobody reads stays under way. */
let project: TestProject
/** Public, for what is read to its end. */
let small: TestProject
let archive: string

beforeAll(async () => {
  forge = await openForge()
  project = await forge.project({ visibility: 'public', files: { 'large.bin': randomBytes(24 * 1024 ** 2) } })
  small = await forge.project({ visibility: 'public' })
  archive = `/api/v4/projects/${project.id}/repository/archive.tar`
  await forge.drain()
})

const usual = { signed_in: 500, of_user: 100, anonymous: 200, of_address: 20 }
const few = { signed_in: 2, of_user: 1, anonymous: 2, of_address: 1 }

beforeEach(() => limitTo(usual))

/** As a server started with these settings would have them. */
function limitTo(streams: LimitConfig['streams'], silence_ms?: number): void {
  Object.assign(forge.app.limits, openLimits({ ...forge.app.config.limits, streams }))
  if (silence_ms) forge.app.limits.silence_ms.download = silence_ms
}

/** Opens a connection and sends this request, without reading an answer. */
async function send(head: string[], body?: Buffer): Promise<Socket> {
  const { hostname, port } = new URL(await forge.url())
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  socket.write(`${head.join('\r\n')}\r\nhost: x\r\n\r\n`)
  if (body) socket.write(body)
  return socket
}

test('an address has so many streams, and a user; one who is refused is told when to come again', async () => {
  limitTo(few)
  const url = await forge.url()
  const running = await send([`GET ${archive} HTTP/1.1`])
  await expect.poll(() => processesOn(project.dir)).toHaveLength(1)

  const refused = await fetch(url + archive)
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
    429,
    '5',
    { message: 'Too many clones, pushes and downloads from your address are under way. Try again in a few seconds.' },
  ])
  for (const path of [`raw?x`, 'README'])
    expect((await fetch(`${url}/api/v4/projects/${project.id}/repository/branches?${path}`)).status).toBe(200)
  const cloned = await tryGit(await forge.folder(), 'clone', '--quiet', await forge.remote(small), 'anonymous')
  expect([cloned.code, cloned.stderr]).toEqual([128, expect.stringContaining('from your address are under way')])
  // Signed-in users have a limit of their own.
  const signedIn = `http.extraHeader=Authorization: ${basic(forge.root).authorization}`
  await git(await forge.folder(), '-c', signedIn, 'clone', '--quiet', await forge.remote(small), 'signed-in')

  running.destroy()
  await expect.poll(() => processesOn(project.dir)).toEqual([])
  // Its place is free once the server knows that git has ended.
  await expect.poll(async () => (await fetch(url + archive, { method: 'HEAD' })).status).toBe(200)
  await git(await forge.folder(), 'clone', '--quiet', await forge.remote(small), 'anonymous')
})

test('all anonymous clients together have a limit of streams: a further one gets 503', async () => {
  limitTo({ ...few, anonymous: 1, of_address: 5 })
  const release = await forge.app.limits.anonymousStreams.acquire('address:192.0.2.1')
  const refused = await fetch((await forge.url()) + archive)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  const cloned = await tryGit(await forge.folder(), 'clone', '--quiet', await forge.remote(small), 'anonymous')
  expect(cloned.stderr).toContain('are under way on this server')
  if (typeof release === 'function') release()
  const served = await fetch((await forge.url()) + archive)
  expect(served.status).toBe(200)
  // Left unread it would stay under way until it has been silent for a minute.
  await served.body?.cancel()
})

test('git over SSH says the same', async () => {
  limitTo(few)
  const { root: user, app } = forge
  const release = await app.limits.streams.acquire(`user:${user.id}`)
  const talk = async () => {
    const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()]
    output.resume()
    input.end('0000')
    const caller = { principal: { kind: 'person' as const, user, scopes: ['api' as const] }, key: { id: 1 } as SshKey }
    const status = await runCommand(app, caller, `git-upload-pack '${small.full_path}.git'`, {
      input,
      output,
      errors,
      gone: new AbortController().signal,
      protocol: null,
    })
    return [status, String(errors.read() ?? '')]
  }
  expect(await talk()).toEqual([
    128,
    'Gitstead: Too many clones, pushes and downloads of yours are under way. Try again in a few seconds.\n',
  ])
  if (typeof release === 'function') release()
  expect(await talk()).toEqual([0, ''])
})

test('an upload of a large file is a stream, and its place is free again when it ends', async () => {
  limitTo(few)
  const client = lfsClient(forge, project, forge.root)
  const { content } = uniqueFile(1_000)
  const path = `/${project.full_path}.git/info/lfs/objects/${oidOf(content)}`
  const head = [`PUT ${path} HTTP/1.1`, `authorization: ${basic(forge.root).authorization}`, `content-length: ${content.length}`]
  const uploading = await send([...head, 'content-type: application/octet-stream'], content.subarray(0, 10))
  const place = async () => {
    const taken = await forge.app.limits.streams.acquire(`user:${forge.root.id}`)
    if (typeof taken === 'function') taken()
    return typeof taken
  }
  await expect.poll(place).toBe('string')
  expect((await client.put(content)).status).toBe(429)
  uploading.destroy()
  await expect.poll(async () => (await client.put(content)).status).toBe(200)
})

/** Whether the connection has ended. */
const hasEnded = (socket: Socket) => expect.poll(() => socket.resume().closed || socket.destroyed).toBe(true)

const connections = () => new Promise<number>((resolve) => forge.server.server.getConnections((_, count) => resolve(count)))

test('a client that does not read is cut off, and its git ends', async () => {
  limitTo(usual, 300)
  const tip = await git(project.dir, 'rev-parse', 'main')
  const body = Buffer.concat([packet(`want ${tip} no-progress\n`), flush, packet('done\n')])
  const fetching = [
    `POST /${project.full_path}.git/git-upload-pack HTTP/1.1`,
    'content-type: application/x-git-upload-pack-request',
    `content-length: ${body.length}`,
  ]
  const before = await connections()
  const sockets = [await send([`GET ${archive} HTTP/1.1`]), await send(fetching, body)]
  await expect.poll(() => processesOn(project.dir)).not.toEqual([])

  await expect.poll(() => processesOn(project.dir)).toEqual([])
  // The clients themselves don't notice: they don't read.
  await expect.poll(() => connections()).toBe(before)
  for (const socket of sockets) socket.destroy()
})

test('a client that does not send what it has announced is cut off', async () => {
  limitTo(usual, 300)
  const head = [
    `POST /${project.full_path}.git/git-upload-pack HTTP/1.1`,
    'content-type: application/x-git-upload-pack-request',
    'content-length: 100',
  ]
  const socket = await send(head, Buffer.from('0032'))
  await hasEnded(socket)
})

test(
  'a client that reads slowly gets everything',
  inFullRun('1 s of processor. A client that does not read is cut off, above.'),
  async () => {
    limitTo(usual, 1_000)
    const response = await fetch((await forge.url()) + archive)
    let size = 0
    let pieces = 0
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      pieces += 1
      // Longer in all than the limit, though never silent for as long.
      if (pieces % 80 === 0) await new Promise((resolve) => setTimeout(resolve, 300))
    }
    expect(size).toBeGreaterThan(24 * 1024 ** 2)
  },
)
