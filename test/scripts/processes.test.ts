/** A server of two processes is one server: what one of them did the other knows, and neither is missed. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, connect as openSocket, type Socket } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { browserOf } from '../support/browser.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { engine, type FreshDatabase, freshDatabase } from '../support/database.ts'
import { testForge } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { gitsteadProgram } from '../support/program.ts'
import { atEndOfFile } from '../support/run/cleanup.ts'
import { cpuBudget } from '../support/run/cpu.ts'
import { inFullRun, isGate } from '../support/run/tiers.ts'
import { clone, commit, workTree } from './git/wire.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { type Connection, connectionTo, serving, workersOf } from './workers.ts'

cpuBudget(8, 'Servers of several processes.')

/** Writes by one process that are then read from the other. 10,000 take a minute or two. */
const pairs = Number(process.env.GITSTEAD_TEST_PAIRS ?? (isGate ? 20 : 60))
const processes = 2

interface Pair {
  server: ServerProcess
  /** A connection to each of the workers. */
  connections: [Connection, Connection]
  home: string
  database: FreshDatabase
}

/** The first of a file starts on an empty folder, as whoever installs it does. */
async function startPair({ isPrepared = true, env = {} }: { isPrepared?: boolean; env?: Record<string, string> } = {}): Promise<Pair> {
  const home = await (await testForge()).folder()
  const database = await (isPrepared ? prepareDataFolder(home) : freshDatabase(home))
  atEndOfFile(() => database.drop())
  const server = await start(home, database, env)
  const [first = 0, second = 0] = await serving(server, processes)
  return { server, home, database, connections: [await connectionTo(server, first), await connectionTo(server, second)] }
}

function start(home: string, { url }: FreshDatabase, env: Record<string, string> = {}): Promise<ServerProcess> {
  return startServer({ home, ...(url && { database_url: url }), env: { GITSTEAD_PROCESSES: String(processes), ...env } })
}

let shared: Pair

beforeAll(async () => {
  shared = await startPair({ isPrepared: false })
})

/** Both ways round. */
const ways = ({ connections: [one, other] }: Pair): Array<[Connection, Connection]> => [
  [one, other],
  [other, one],
]

test('one process reads at once what another wrote, single rows and totals of lists', { timeout: 600_000 }, async () => {
  const [first, second] = [shared.connections[0], shared.connections[1]]
  const project = (await first.ask('POST', '/api/v4/projects', { name: 'pairs' })).body
  const path = `/api/v4/projects/${project.id}`
  // Other requests keep both busy, so that their caches are fresh.
  const workers = await workersOf(shared.server)
  const readers = await Promise.all([...workers, ...workers].map((worker) => connectionTo(shared.server, worker)))
  let isDone = false
  const reading = readers.map(async (reader) => {
    while (!isDone) await reader.ask('GET', path)
  })
  const stale: string[] = []
  for (let number = 0; number < pairs; number += 1) {
    const [writer, reader] = number % 2 === 0 ? [first, second] : [second, first]
    const description = `Number ${number}`
    expect((await writer.ask('PUT', path, { description })).status).toBe(200)
    const read = (await reader.ask('GET', path)).body.description
    if (read !== description) stale.push(`${description}: ${read}`)
    if (number % 10 > 0) continue
    const group = (await writer.ask('POST', '/api/v4/groups', { name: `g${number}`, path: `g${number}` })).body
    const total = (await reader.ask('GET', '/api/v4/groups')).headers['x-total']
    if (total !== String(number / 10 + 1)) stale.push(`group ${group.id}: ${total}`)
  }
  isDone = true
  await Promise.all(reading)
  expect(stale).toEqual([])
})

test('a token that one process has revoked is refused by the other', async () => {
  for (const [one, other] of [...ways(shared), ...ways(shared), ...ways(shared)]) {
    const path = '/api/v4/users/1/impersonation_tokens'
    const { id, token } = (await one.ask('POST', path, { name: 'short', scopes: ['api'] })).body
    const asIt = async (connection: Connection) =>
      (await connection.ask('GET', '/api/v4/user', undefined, { 'private-token': token })).status
    expect([await asIt(one), await asIt(other)]).toEqual([200, 200])
    expect((await one.ask('DELETE', `${path}/${id}`)).status).toBe(204)
    expect(await asIt(other)).toBe(401)
  }
})

test('what a machine reaches with one process changes with what the other is told', async () => {
  for (const [one, other] of ways(shared)) {
    const name = `machines-${ways(shared).findIndex(([first]) => first === one)}`
    const fields = { name, visibility: 'public', initialize_with_readme: true, wiki_access_level: 'private' }
    const { id, path_with_namespace } = (await one.ask('POST', '/api/v4/projects', fields)).body
    const strange = (await one.ask('POST', '/api/v4/projects', { name: `${name}-strange` })).body
    const at = `/api/v4/projects/${id}`
    const tokenOf = async (project: number) =>
      (await one.ask('POST', `/api/v4/projects/${project}/deploy_tokens`, { name: 'Machine', scopes: ['read_repository'] })).body
    const [own, elsewhere] = [await tokenOf(id), await tokenOf(strange.id)]
    const clone = async (connection: Connection, path: string, { username, token }: { username: string; token: string }) => {
      const authorization = `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`
      const url = `/${path_with_namespace}${path}/info/refs?service=git-upload-pack`
      return (await connection.ask('GET', url, undefined, { authorization })).status
    }
    const seen = async (path: string, machine: typeof own) => [await clone(one, path, machine), await clone(other, path, machine)]

    await one.ask('POST', `${at}/wikis`, { title: 'Home', content: 'Hello' })
    expect([await seen('.wiki.git', own), await seen('.wiki.git', elsewhere)]).toEqual([
      [200, 200],
      [403, 403],
    ])
    await one.ask('PUT', at, { wiki_access_level: 'enabled' })
    expect(await clone(other, '.wiki.git', elsewhere)).toBe(200)
    await other.ask('PUT', at, {
      repository_access_level: 'private',
      merge_requests_access_level: 'private',
      builds_access_level: 'private',
    })
    expect([await seen('.git', own), await seen('.git', elsewhere)]).toEqual([
      [200, 200],
      [404, 404],
    ])
    await other.ask('DELETE', `${at}/deploy_tokens/${own.id}`)
    expect(await seen('.git', own)).toEqual([401, 401])
  }
})

test('signing in with one process signs in with both, and signing out ends both', async () => {
  for (const [one, other] of ways(shared)) {
    const signIn = browserVia(one)
    await signIn.submit('/users/sign_in', '/users/sign_in', { login: 'root', password: 'root-password' })
    const cookie = [...signIn.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const seenBy = async (connection: Connection) => (await connection.ask('GET', '/api/v4/user', undefined, { cookie })).status
    expect([await seenBy(one), await seenBy(other)]).toEqual([200, 200])
    const signOut = browserVia(other)
    for (const [name, value] of signIn.cookies) signOut.cookies.set(name, value)
    await signOut.submit('/', '/users/sign_out')
    expect([await seenBy(other), await seenBy(one)]).toEqual([401, 401])
  }
})

/** A browser that has one connection. */
function browserVia(connection: Connection) {
  const inject = async ({
    method,
    url,
    headers,
    payload,
  }: {
    method: string
    url: string
    headers: Record<string, string>
    payload?: string
  }) => {
    const { status, headers: answered, text } = await connection.ask(method, url, payload, headers)
    return { statusCode: status, headers: answered, payload: text }
  }
  return browserOf({ inject } as unknown as Parameters<typeof browserOf>[0])
}

// Between processes: the database has no part in it.
const onOneEngine = test.skipIf(engine === 'postgres')

onOneEngine('metrics count what all processes have done', async () => {
  const [one, other] = shared.connections
  const counted = async (connection: Connection) => {
    const { text } = await connection.ask('GET', '/-/metrics')
    return Number(/gitstead_http_request_seconds_count\{method="GET",route="\/api\/v4\/version",status="200"\} (\d+)/.exec(text)?.[1] ?? 0)
  }
  const before = await counted(one)
  for (let number = 0; number < 5; number += 1) {
    await one.ask('GET', '/api/v4/version')
    await other.ask('GET', '/api/v4/version')
  }
  await expect.poll(() => counted(one)).toBe(before + 10)
  await expect.poll(() => counted(other)).toBe(before + 10)
})

onOneEngine('connections by SSH are counted over all processes', async () => {
  const sockets: Socket[] = []
  const outcomes = Array.from({ length: 30 }, async () => {
    const socket = openSocket(shared.server.ssh_port, '127.0.0.1')
    sockets.push(socket)
    const refused = new Promise<string>((resolve) => socket.once('error', () => resolve('refused')).once('close', () => resolve('refused')))
    return Promise.race([refused, once(socket, 'data').then(([data]) => String(data).slice(0, 4))])
  })
  const seen = await Promise.all(outcomes)
  expect([seen.filter((outcome) => outcome === 'SSH-').length, seen.filter((outcome) => outcome === 'refused').length]).toEqual([20, 10])
  for (const socket of sockets) socket.destroy()
  // Their places are free again.
  await expect
    .poll(async () => {
      const socket = openSocket(shared.server.ssh_port, '127.0.0.1').on('error', () => {})
      const [data] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
      socket.destroy()
      return String(data).slice(0, 4)
    })
    .toBe('SSH-')
})

/** Pushes commits to a branch of its own, one after the other, and gives the last that was acknowledged. */
function pushing(server: ServerProcess, work: string, name: string, branch: string) {
  let acknowledged = ''
  let pushes = 0
  let isDone = false
  const ended = (async () => {
    await git(work, 'checkout', '--quiet', '-b', branch)
    for (; !isDone; pushes += 1) {
      const oid = await commit(work, { [`${branch}.txt`]: String(pushes) })
      const { code } = await tryGit(work, 'push', '--quiet', server.remote(name), branch)
      if (code === 0) acknowledged = oid
    }
  })()
  return {
    get pushes() {
      return pushes
    },
    async stop() {
      isDone = true
      await ended
      return acknowledged
    },
  }
}

test('pushes, commits and clones go on with both at once, and a worker that is killed is replaced; nothing acknowledged is lost', {
  ...inFullRun('7 s of processor. Two processes read and count together above and below; take-over.test.ts kills one.'),
  timeout: 180_000,
}, async () => {
  const { server } = shared
  await server.send('POST', '/projects', { name: 'both' })
  const work = await workTree()
  await git(work, 'push', '--quiet', server.remote('both'), 'main')
  const lanes = await Promise.all(['a', 'b'].map(async (branch) => pushing(server, await clone(server.remote('both')), 'both', branch)))
  const commits: string[] = []
  const statuses: number[] = []
  let isDone = false
  const committing = ['x', 'y'].map(async (branch) => {
    for (let number = 0; !isDone; number += 1) {
      const actions = [{ action: 'create', file_path: `${branch}${number}`, content: 'text' }]
      const body = { branch, commit_message: 'Add', actions, ...(number === 0 && { start_branch: 'main' }) }
      const answer = await server.send('POST', '/projects/root%2Fboth/repository/commits', body).catch(() => null)
      if (answer) statuses.push(answer.status)
      if (answer?.status === 201) commits.push(((await answer.json()) as { id: string }).id)
    }
  })
  const cloning = (async () => {
    while (!isDone) expect((await tryGit(await clone(server.remote('both')).catch(() => work), 'fsck')).code).toBe(0)
  })()
  await expect.poll(() => Math.min(...lanes.map(({ pushes }) => pushes), commits.length), { timeout: 90_000 }).toBeGreaterThan(3)
  const [victim = 0, survivor = 0] = await workersOf(server)
  process.kill(victim, 'SIGKILL')
  await expect.poll(async () => (await workersOf(server)).filter((pid) => pid !== victim).length).toBe(processes)
  const after = await serving(server, processes)
  expect(after).toContain(survivor)
  const before = commits.length
  await expect.poll(() => commits.length, { timeout: 60_000 }).toBeGreaterThan(before + 3)
  isDone = true
  const tips = await Promise.all(lanes.map((lane) => lane.stop()))
  await Promise.all([...committing, cloning])

  const all = await clone(server.remote('both'), '--mirror')
  const reached = new Set((await git(all, 'rev-list', '--all')).split('\n'))
  expect([...tips, ...commits].filter((oid) => !reached.has(oid))).toEqual([])
  expect(statuses.filter((status) => status !== 201)).toEqual([])
  // The one that was killed worked off the queue: another does now.
  const db = openDatabase(shared.database.location)
  atEndOfFile(() => db.destroy())
  const pushed = () => db.selectFrom('events').select(['id', 'commit_title']).where('action', '=', 'pushed').execute()
  const described = async () => (await pushed()).every(({ commit_title }) => commit_title !== null)
  expect((await pushed()).length).toBeGreaterThan(commits.length)
  await expect.poll(described, { timeout: 60_000 }).toBe(true)
})

test.skipIf(engine === 'postgres')(
  'a worker that hangs with the write lock is replaced, and writes go on',
  { ...inFullRun('7 s of processor. process-lives.test.ts and src/queue test leases and locks.'), timeout: 120_000 },
  async () => {
    const { server } = await startPair()
    const [frozen = 0, working = 0] = await serving(server, processes)
    const create = (name: string) => (connection: Connection) => connection.ask('POST', '/api/v4/projects', { name })
    const other = await connectionTo(server, working)
    // It has the lock or is in the line for it all the time.
    const writers = await Promise.all(Array.from({ length: 4 }, () => connectionTo(server, frozen)))
    const acknowledged: string[] = []
    const lost = writers.map(async (writer, lane) => {
      for (let number = 0; ; number += 1) {
        const name = `frozen-${lane}-${number}`
        const answer = await create(name)(writer).catch(() => null)
        if (!answer) return
        if (answer.status === 201) acknowledged.push(name)
      }
    })
    // Stopped between two writes it has no lock, and nobody waits for it: then it goes on, and is stopped again.
    for (let waited_ms = 0, number = 0; waited_ms < 5_000; number += 1) {
      process.kill(frozen, 'SIGCONT')
      const before = acknowledged.length
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 4)
      process.kill(frozen, 'SIGSTOP')
      const started = performance.now()
      expect((await create(`after-${number}`)(other)).status).toBe(201)
      waited_ms = performance.now() - started
      expect(waited_ms).toBeLessThan(60_000)
    }
    await Promise.all(lost)
    const after = await serving(server, processes)
    expect(after).not.toContain(frozen)
    for (const name of acknowledged) expect([name, await server.status(`/projects/root%2F${name}`)]).toEqual([name, 200])
    expect(await server.stop()).toBe(0)
  },
)

test('a stop lets requests in progress finish, and ends every process; the next start has all that was acknowledged', {
  ...inFullRun('6 s of processor. ssh-push.test.ts stops one process under way.'),
  timeout: 120_000,
}, async () => {
  const { server, home, database } = await startPair()
  await server.send('POST', '/projects', { name: 'stop' })
  const work = await workTree()
  await git(work, 'push', '--quiet', server.remote('stop'), 'main')
  const workers = await workersOf(server)
  const answers = Array.from({ length: 12 }, async (_, number) => {
    const actions = [{ action: 'create', file_path: `${number}`, content: 'text' }]
    const body = { branch: `b${number}`, start_branch: 'main', commit_message: 'Add', actions }
    return server.send('POST', '/projects/root%2Fstop/repository/commits', body).then(
      async (answer) => ({ status: answer.status, number }),
      () => null,
    )
  })
  await Promise.race(answers)
  expect(await server.stop()).toBe(0)
  const acknowledged = (await Promise.all(answers)).filter((answer) => answer !== null)
  expect(acknowledged.filter(({ status }) => status === 201).length).toBeGreaterThan(0)
  // A server that stops refuses what comes too late, and does nothing of it.
  expect(acknowledged.filter(({ status }) => status !== 201 && status !== 503)).toEqual([])
  expect(workers.filter(isAlive)).toEqual([])

  const again = await start(home, database)
  for (const { number, status } of acknowledged) {
    expect(await again.status(`/projects/root%2Fstop/repository/branches/b${number}`)).toBe(status === 201 ? 200 : 404)
  }
})

test('requests to either process count together, and a changed limit holds for both within seconds', async () => {
  const [one, other] = shared.connections
  const headers = { 'x-forwarded-for': '192.0.2.99' }
  const limit = { throttle_unauthenticated_requests_per_period: 10, throttle_unauthenticated_period_in_seconds: 7_201 }
  const path = '/api/v4/projects'
  /** A process reads the settings again after a while. */
  const inSeconds = { timeout: 10_000 }
  await one.ask('PUT', '/api/v4/application/settings', { throttle_unauthenticated_enabled: true, ...limit })
  await expect
    .poll(async () => (await other.ask('GET', path, undefined, { 'x-forwarded-for': '192.0.2.98' })).headers['ratelimit-name'], inSeconds)
    .toBeTruthy()
  const answers = []
  for (let round = 0; round < 8; round += 1) {
    answers.push(await one.ask('GET', path, undefined, headers))
    answers.push(await other.ask('GET', path, undefined, headers))
  }
  expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), ...Array(6).fill(429)])
  expect(answers.map(({ headers }) => Number(headers['ratelimit-observed']))).toEqual(answers.map((_, index) => index + 1))
  await other.ask('PUT', '/api/v4/application/settings', { throttle_unauthenticated_enabled: false })
  await expect.poll(async () => (await one.ask('GET', path, undefined, headers)).status, inSeconds).toBe(200)
})

// The last that uses the shared server.
onOneEngine(
  'workers end when their primary is killed, and the next start finds the data folder free',
  { ...inFullRun('2 s of processor. take-over.test.ts kills a process and starts another.'), timeout: 120_000 },
  async () => {
    const { server, home, database } = shared
    const orphans = await serving(server, processes)
    await server.kill()
    await expect.poll(() => orphans.filter(isAlive)).toEqual([])
    const next = await start(home, database)
    expect(await next.stop()).toBe(0)
  },
)

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

onOneEngine(
  'a start that must fail fails with one line, and leaves nothing running',
  inFullRun('1 s of processor. `failed-start.test.ts` has each reason, for one process.'),
  async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    atEndOfFile(() => taken.close())
    const home = await (await testForge()).folder()
    const [program, main] = await gitsteadProgram()
    const env = {
      PATH: process.env.PATH,
      GITSTEAD_HOME: home,
      GITSTEAD_PORT: String((taken.address() as AddressInfo).port),
      GITSTEAD_SSH_PORT: 'off',
      GITSTEAD_PROCESSES: '3',
      GITSTEAD_LOG_LEVEL: 'silent',
    }
    const { code, out, err } = await new Promise<{ code: unknown; out: string; err: string }>((resolve) =>
      execFile(program, [main], { env }, (error, out, err) => resolve({ code: error?.code ?? 0, out, err })),
    )
    expect([code, out]).toEqual([1, ''])
    expect(err).toBe(`gitstead: GITSTEAD_PORT must be a free port (got ${env.GITSTEAD_PORT}, which another program uses on 127.0.0.1)\n`)
  },
)

onOneEngine(
  'a server that gets SIGTERM during its start stops',
  inFullRun('1 s of processor. A running one is stopped at the end of this file, and failed-start.test.ts sees starts end early.'),
  async () => {
    const home = await (await testForge()).folder()
    const [program, main] = await gitsteadProgram()
    const settings = { GITSTEAD_HOME: home, GITSTEAD_PORT: '1', GITSTEAD_SSH_PORT: 'off', GITSTEAD_PROCESSES: '2' }
    const child = spawn(program, [main], { env: { PATH: process.env.PATH, ...settings }, stdio: 'ignore' })
    atEndOfFile(() => child.kill('SIGKILL'))
    await expect.poll(() => workersOf({ pid: child.pid as number })).not.toEqual([])
    const [worker = 0] = await workersOf({ pid: child.pid as number })
    child.kill('SIGTERM')
    await once(child, 'exit')
    await expect.poll(() => isAlive(worker)).toBe(false)
  },
)
