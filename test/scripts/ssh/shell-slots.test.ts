/** `gitstead shell` counts as the server itself does: streams of a user, connections of an address, and all together. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { isRefusal } from '../../../src/limits/concurrency.ts'
import { limiterAt } from '../../../src/limits/slot-socket.ts'
import { publicKey } from '../../support/fixtures/ssh-keys.ts'
import { testForge } from '../../support/forge.ts'
import { git, tryGit } from '../../support/git.ts'
import { gitsteadProgram } from '../../support/program.ts'
import { atEndOfFile } from '../../support/run/cleanup.ts'
import { cpuBudget } from '../../support/run/cpu.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { workTree } from '../git/wire.ts'
import { type ServerProcess, startServer } from '../server-process.ts'

cpuBudget(8, 'A process for each command that OpenSSH starts.')

const env = { GITSTEAD_MAX_STREAMS_PER_USER: '2', GITSTEAD_MAX_STREAMS: '3' }

let server: ServerProcess
let key: string
let work: string

beforeAll(async () => {
  server = await startServer({ env: { ...env, GITSTEAD_PROCESSES: '2' } })
  const answer = await server.send('POST', '/user/keys', { title: 'Laptop', key: publicKey() })
  key = `key-${((await answer.json()) as { id: number }).id}`
  await server.send('POST', '/projects', { name: 'counted' })
  work = await workTree()
  await git(work, 'push', '--quiet', server.remote('counted'), 'main')
})

interface Shell {
  child: ChildProcessWithoutNullStreams
  /** Resolves with the first bytes for the client: the refs. */
  started: Promise<string>
  ended: Promise<{ code: number | null; stderr: string }>
}

/** A fetch that waits for its client, as OpenSSH's server would start it. */
async function startShell(address = '192.0.2.1'): Promise<Shell> {
  const [node, main] = await gitsteadProgram()
  const child = spawn(node, [main, 'shell', key], {
    env: {
      PATH: process.env.PATH,
      GITSTEAD_HOME: server.home,
      ...env,
      SSH_ORIGINAL_COMMAND: "git-upload-pack 'root/counted.git'",
      SSH_CONNECTION: `${address} 50000 192.0.2.9 22`,
    },
  })
  atEndOfFile(() => child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  child.stdin.on('error', () => {})
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stderr }))
  const started = Promise.race([once(child.stdout, 'data').then(([data]) => String(data)), ended.then(() => '')])
  return { child, started, ended }
}

const tooMany = 'Gitstead: Too many clones, pushes and downloads of yours are under way. Try again in a few seconds.\n'
const lsRemote = () => tryGit(work, 'ls-remote', server.remote('counted'))

test(
  'commands under the SSH server of the machine take places of their user, and give them back however they end',
  inFullRun(
    '4 s of processor: a server of two processes and five commands. slot-socket.test.ts takes places and gives them back by the same socket.',
  ),
  async () => {
    const first = await startShell()
    const second = await startShell()
    expect(await first.started).toContain('HEAD')
    expect(await second.started).toContain('HEAD')

    expect(await (await startShell()).ended).toEqual({ code: 128, stderr: tooMany })
    const refused = await lsRemote()
    expect([refused.code, refused.stderr]).toEqual([128, expect.stringContaining('of yours are under way')])

    second.child.stdin.end('0000')
    expect(await second.ended).toEqual({ code: 0, stderr: '' })
    await expect.poll(async () => (await lsRemote()).code).toBe(0)
    const third = await startShell()
    expect(await third.started).toContain('HEAD')
    first.child.kill('SIGKILL')
    third.child.kill('SIGKILL')
    await Promise.all([first.ended, third.ended])
    await expect.poll(async () => (await lsRemote()).code).toBe(0)
  },
)

test(
  'an address has so many connections, as with the built-in server',
  inFullRun('1 s of processor. slot-socket.test.ts counts places by the same socket.'),
  async () => {
    const connections = limiterAt(join(server.home, 'ssh', 'slots.sock'), 'ssh')
    const slots = await Promise.all(Array.from({ length: 100 }, () => connections.acquire('192.0.2.7')))
    expect(slots.filter(isRefusal)).toEqual([])
    expect(await (await startShell('192.0.2.7')).ended).toEqual({
      code: 128,
      stderr: 'Gitstead: Too many connections from your address are open. Try again in a few seconds.\n',
    })
    const other = await startShell('192.0.2.8')
    expect(await other.started).toContain('HEAD')
    other.child.stdin.end('0000')
    expect(await other.ended).toMatchObject({ code: 0 })
    for (const slot of slots) if (!isRefusal(slot)) slot()
  },
)

test(
  'while the server is stopped they are served and not counted; when it is back those under way count again',
  inFullRun('4 s of processor. slot-socket.test.ts takes places and gives them back by the same socket.'),
  async () => {
    const before = await startShell()
    await before.started
    expect(await server.stop()).toBe(0)
    const shells = [before, await startShell(), await startShell(), await startShell()]
    for (const { started } of shells) expect(await started).toContain('HEAD')
    server = await startServer({ home: server.home, env })
    // Two of the four take all places there are for the user.
    await expect.poll(async () => (await lsRemote()).stderr).toContain('of yours are under way')
    for (const { child } of shells) child.stdin.end('0000')
    for (const { ended } of shells) expect(await ended).toEqual({ code: 0, stderr: '' })
    await expect.poll(async () => (await lsRemote()).code).toBe(0)
  },
)

test(
  'a server that is killed leaves a socket, and the next one listens there all the same',
  inFullRun('3 s of processor. crash.test.ts starts a killed server again.'),
  async () => {
    await server.kill()
    server = await startServer({ home: server.home, env: { ...env, GITSTEAD_MAX_STREAMS_PER_USER: '1' } })
    const shell = await startShell()
    expect(await shell.started).toContain('HEAD')
    expect((await lsRemote()).stderr).toContain('of yours are under way')
    shell.child.stdin.end('0000')
    await shell.ended
  },
)

test(
  'a data folder with a long path has no socket: the server runs, and its shells are not counted',
  inFullRun('3 s of processor. slot-socket.test.ts takes places and gives them back by the same socket.'),
  async () => {
    const home = join(await (await testForge()).folder(), 'x'.repeat(100))
    await mkdir(home)
    const other = await startServer({ home, env })
    expect(await other.status('/version')).toBe(200)
    expect(await other.stop()).toBe(0)
  },
)
