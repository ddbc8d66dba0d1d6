/** How many clones, pushes and downloads are under way at once, and what becomes of clients that fall silent. */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { SshKey } from '../../src/db/tables.ts'
import { runCommand } from '../../src/transport/ssh/run-command.ts'
import { type Forge, type ForgeOptions, openForge, type TestProject } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { basic, flush, packet, processesOn } from './wire.ts'

interface Wire {
  forge: Forge
  project: TestProject
  archive: string
  /** Opens a connection and sends this request, without reading an answer. */
  send: (head: string[], body?: Buffer) => Promise<Socket>
}

/** A public project with more bytes than connections hold, so that an answer nobody reads stays under way. */
async function wire(options: ForgeOptions): Promise<Wire> {
  const forge = await openForge(options)
  const project = await forge.project({ visibility: 'public', files: { 'large.bin': randomBytes(24 * 1024 ** 2) } })
  const { hostname, port } = new URL(await forge.url())
  const send = async (head: string[], body?: Buffer) => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.pause()
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.write(`${head.join('\r\n')}\r\nhost: x\r\n\r\n`)
    if (body) socket.write(body)
    return socket
  }
  return { forge, project, archive: `/api/v4/projects/${project.id}/repository/archive.tar`, send }
}

const few = { signed_in: 2, of_user: 1, anonymous: 2, of_address: 1 }

test('an address has so many streams, and a user; one who is refused is told when to come again', async () => {
  const { forge, project, archive, send } = await wire({ limits: { streams: few } })
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
  const cloned = await tryGit(await forge.folder(), 'clone', '--quiet', await forge.remote(project), 'anonymous')
  expect([cloned.code, cloned.stderr]).toEqual([128, expect.stringContaining('from your address are under way')])
  // Who is signed in has places of one's own.
  const signedIn = `http.extraHeader=Authorization: ${basic(forge.root).authorization}`
  await git(await forge.folder(), '-c', signedIn, 'clone', '--quiet', await forge.remote(project), 'signed-in')

  running.destroy()
  await expect.poll(() => processesOn(project.dir), { timeout: 5_000 }).toEqual([])
  expect((await fetch(url + archive, { method: 'HEAD' })).status).toBe(200)
  await git(await forge.folder(), 'clone', '--quiet', await forge.remote(project), 'anonymous')
})

test('all together have so many: whoever comes then gets 503', async () => {
  const { forge, project, archive } = await wire({ limits: { streams: { ...few, anonymous: 1, of_address: 5 } } })
  const release = await forge.app.limits.anonymousStreams.acquire('address:192.0.2.1')
  const refused = await fetch((await forge.url()) + archive)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  const cloned = await tryGit(await forge.folder(), 'clone', '--quiet', await forge.remote(project), 'anonymous')
  expect(cloned.stderr).toContain('are under way on this server')
  if (typeof release === 'function') release()
  expect((await fetch((await forge.url()) + archive)).status).toBe(200)
})

test('git over SSH says the same', async () => {
  const { forge, project } = await wire({ limits: { streams: few } })
  const { root: user, app } = forge
  const release = await app.limits.streams.acquire(`user:${user.id}`)
  const talk = async () => {
    const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()]
    output.resume()
    input.end('0000')
    const caller = { actor: { kind: 'user' as const, user, scopes: ['api' as const] }, key: { id: 1 } as SshKey }
    const status = await runCommand(app, caller, `git-upload-pack '${project.full_path}.git'`, {
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

/** Whether the connection has ended. */
const hasEnded = (socket: Socket) => expect.poll(() => socket.resume().closed || socket.destroyed, { timeout: 10_000 }).toBe(true)

const connectionsTo = ({ server }: Forge) => new Promise<number>((resolve) => server.server.getConnections((_, count) => resolve(count)))

test('a client that does not read is cut off, and its git ends', async () => {
  const { forge, project, archive, send } = await wire({})
  forge.app.limits.silence_ms.download = 300
  const tip = await git(project.dir, 'rev-parse', 'main')
  const body = Buffer.concat([packet(`want ${tip} no-progress\n`), flush, packet('done\n')])
  const fetching = [
    `POST /${project.full_path}.git/git-upload-pack HTTP/1.1`,
    'content-type: application/x-git-upload-pack-request',
    `content-length: ${body.length}`,
  ]
  const before = await connectionsTo(forge)
  const sockets = [await send([`GET ${archive} HTTP/1.1`]), await send(fetching, body)]
  await expect.poll(() => processesOn(project.dir)).not.toEqual([])

  await expect.poll(() => processesOn(project.dir), { timeout: 10_000 }).toEqual([])
  // The clients themselves don't notice: they don't read.
  await expect.poll(() => connectionsTo(forge), { timeout: 10_000 }).toBe(before)
  for (const socket of sockets) socket.destroy()
})

test('a client that does not send what it has announced is cut off', async () => {
  const { forge, project, send } = await wire({})
  forge.app.limits.silence_ms.download = 300
  const head = [
    `POST /${project.full_path}.git/git-upload-pack HTTP/1.1`,
    'content-type: application/x-git-upload-pack-request',
    'content-length: 100',
  ]
  const socket = await send(head, Buffer.from('0032'))
  await hasEnded(socket)
})

test('a client that reads slowly gets everything', async () => {
  const { forge, archive } = await wire({})
  forge.app.limits.silence_ms.download = 1_000
  const response = await fetch((await forge.url()) + archive)
  let size = 0
  let pieces = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    pieces += 1
    // About three seconds in all: longer than the limit, though never silent for as long.
    if (pieces % 40 === 0) await new Promise((resolve) => setTimeout(resolve, 300))
  }
  expect(size).toBeGreaterThan(24 * 1024 ** 2)
})
