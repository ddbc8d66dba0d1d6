/** PostgreSQL goes away under load, in order, in a crash or connection by connection: what everybody is told, and what is kept. */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import type { Tables } from '../../../src/db/tables.ts'
import { hashedPath } from '../../../src/git/repository/repository.ts'
import { type Postgres, startPostgres } from '../../../tools/postgres.mjs'
import { engine } from '../../support/database.ts'
import { git, tryGit } from '../../support/git.ts'
import { cpuBudget } from '../../support/run/cpu.ts'
import { inFullRun, isGate } from '../../support/run/tiers.ts'
import { clientOptions, hasSsh, keyPair, ssh } from '../../support/ssh.ts'
import { commit, workTree } from '../git/wire.ts'
import { type ServerProcess, startServer } from '../server-process.ts'

cpuBudget(14, 'A PostgreSQL of its own is restarted, and ended under all kinds of writes.')

const rounds = Number(process.env.GITSTEAD_TEST_DATABASE_ROUNDS ?? (isGate ? 1 : 3))
/** Nobody waits longer than this for an answer, whatever it is. */
const patience_ms = 60_000

let postgres: Postgres | null = null
let server: ServerProcess
let work: string
let keyFile: string

beforeAll(async () => {
  if (engine !== 'postgres') return
  // A server of its own, where there is one: this one is restarted.
  postgres = await startPostgres({ durable: true })
  if (!postgres) return
  server = await startServer({ database_url: postgres.url })
  expect((await server.send('POST', '/projects', { name: 'away' })).status).toBe(201)
  work = await workTree()
  await git(work, 'push', '--quiet', server.remote('away'), 'main', 'main:c', 'main:d')
  if (!hasSsh) return
  const key = await keyPair()
  keyFile = key.file
  await server.send('POST', '/user/keys', { title: 'key', key: key.line })
})

afterAll(async () => {
  if (!postgres) return
  await server.kill()
  await postgres.stop()
})

beforeEach(({ skip }) => {
  if (!postgres) skip('no PostgreSQL server of its own here')
})

test('while the database is away everybody is told so, at once and in their own protocol; afterwards all works', async () => {
  await away().halt('fast')
  await expectTold().finally(away().resume)
  await ready()
  expect(await server.status('/projects/1')).toBe(200)
  await commit(work, { 'again.txt': 'again' })
  await git(work, 'push', '--quiet', server.remote('away'), 'main')
  if (hasSsh) expect((await ssh({ port: server.ssh_port } as never, ['-T', ...clientOptions(keyFile)])).stderr).toMatch(/Welcome/)
})

test(`${rounds} times restarted, crashed and cut off under pushes, commits, projects and reads: nothing acknowledged is lost, nothing hangs, the process lives`, {
  ...inFullRun('9 s of processor. Above the database is away once, under requests of each protocol.'),
  timeout: 60_000 + rounds * 60_000,
}, async () => {
  const acknowledged: Acknowledged[] = []
  const statuses = new Map<number, number>()
  const count = (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const lanes = [
    pushLane(await cloneOf('a')),
    pushLane(await cloneOf('b')),
    commitLane('c', count),
    commitLane('d', count),
    projectLane(count),
    ...['/projects/1', '/projects/1/repository/commits', '/users'].map((path) => readLane(path, count)),
  ]
  for (let round = 0; round < rounds; round += 1) {
    let over = false
    let done = 0
    const running = lanes.map(async (lane) => {
      while (!over) {
        const result = await lane()
        if (result) {
          acknowledged.push(result)
          done += 1
        }
      }
    })
    const reach = async (wanted: number) => {
      while (done < wanted) await Promise.race([setTimeout(20), ...running])
    }
    await reach(6)
    await disturb(round)
    // Once it is back writes succeed again while all goes on.
    await ready()
    await reach(done + 6)
    over = true
    await Promise.all(running)
    expect(server.lives()).toBe(true)
  }
  expect([...statuses.keys()].sort()).toEqual([200, 201, 503])
  await expectKept(acknowledged)
  expect(await server.stop()).toBe(0)
  server = await startServer({ database_url: away().url, home: server.home })
})

async function expectTold(): Promise<void> {
  const api = await server.send('GET', '/projects/1')
  expect([api.status, api.headers.get('retry-after'), await api.json()]).toEqual([503, '5', { message: expect.stringMatching(sentence) }])
  const page = await fetch(`${server.url}/users/sign_in`, { headers: { cookie: 'gitstead_session=x' } })
  expect([page.status, page.headers.get('retry-after'), await page.text()]).toEqual([503, '5', expect.stringMatching(sentence)])
  const large = await fetch(`${server.remote('away').replace(/root:.*@/, '')}/info/lfs/objects/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.git-lfs+json', authorization: basic() },
    body: '{"operation":"download","objects":[]}',
  })
  expect([large.status, large.headers.get('retry-after'), await large.json()]).toMatchObject([
    503,
    '5',
    { message: expect.stringMatching(sentence) },
  ])
  const read = await tryGit(work, 'ls-remote', server.remote('away'))
  expect([read.code, read.stderr]).toEqual([128, expect.stringMatching(sentence)])
  if (hasSsh) {
    const said = await ssh({ port: server.ssh_port } as never, ['-T', ...clientOptions(keyFile)])
    expect([said.code, said.stderr]).toEqual([128, expect.stringMatching(sentence)])
  }
  const readiness = await fetch(`${server.url}/-/readiness`)
  expect([readiness.status, await readiness.json()]).toMatchObject([503, { database_check: { status: 'failed' } }])
  expect((await fetch(`${server.url}/-/liveness`)).status).toBe(200)
}

const sentence = /The database is unavailable, try again in a few seconds/

function away(): Postgres {
  if (!postgres) throw new Error('there is no server')
  return postgres
}

/** One of the ways in which a database goes away. */
async function disturb(round: number): Promise<void> {
  if (round % 3 === 2) {
    await withDatabase((db) =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gitstead' and pid <> pg_backend_pid()`.execute(
        db,
      ),
    )
    return
  }
  await away().halt(round % 3 === 0 ? 'immediate' : 'fast')
  // Every second time it stays away until all have noticed.
  while (round % 2 === 0 && (await server.status('/projects/1')) !== 503) await setTimeout(20)
  await away().resume()
}

async function ready(): Promise<void> {
  while (!(await fetch(`${server.url}/-/readiness`)).ok) await setTimeout(50)
}

interface Acknowledged {
  kind: 'ref' | 'project'
  name: string
  oid: string
}

/** One write or read; what was acknowledged, or null. Throws where no answer comes. */
type Lane = () => Promise<Acknowledged | null>

function pushLane(dir: string): Lane {
  return async () => {
    const oid = await commit(dir, { 'file.txt': String(Math.random()) })
    const branch = await git(dir, 'rev-parse', '--abbrev-ref', 'HEAD')
    const pushing = tryGit(dir, 'push', '--quiet', server.remote('away'), branch)
    const { code } = await inTime(pushing, 'push')
    return code === 0 ? { kind: 'ref', name: branch, oid } : null
  }
}

function commitLane(branch: string, count: (status: number) => void): Lane {
  return async () => {
    const actions = [{ action: 'create', file_path: `${Math.random()}.txt`, content: 'text' }]
    const answer = await inTime(
      server.send('POST', '/projects/1/repository/commits', { branch, commit_message: 'Add a file', actions }),
      'commit',
    )
    count(answer.status)
    return answer.status === 201 ? { kind: 'ref', name: branch, oid: ((await answer.json()) as { id: string }).id } : null
  }
}

let projects = 0

function projectLane(count: (status: number) => void): Lane {
  return async () => {
    projects += 1
    const name = `project-${projects}`
    const answer = await inTime(server.send('POST', '/projects', { name }), 'project')
    count(answer.status)
    return answer.status === 201 ? { kind: 'project', name, oid: String(((await answer.json()) as { id: number }).id) } : null
  }
}

function readLane(path: string, count: (status: number) => void): Lane {
  return async () => {
    const answer = await inTime(server.send('GET', path), path)
    count(answer.status)
    await answer.arrayBuffer()
    return null
  }
}

async function inTime<T>(work: Promise<T>, what: string): Promise<T> {
  const late = new AbortController()
  const patience = setTimeout(patience_ms, undefined, { signal: late.signal }).then(() => {
    throw new Error(`no answer: ${what}`)
  })
  patience.catch(() => {})
  return Promise.race([work, patience]).finally(() => late.abort())
}

async function cloneOf(branch: string): Promise<string> {
  await git(work, 'worktree', 'add', '--quiet', '-b', branch, `${work}-${branch}`)
  return `${work}-${branch}`
}

/** Each acknowledged write is on disk and in the database, and the journal is settled. */
async function expectKept(acknowledged: Acknowledged[]): Promise<void> {
  const dir = join(server.home, 'repositories', hashedPath(1))
  await withDatabase(async (db) => {
    // An unacknowledged push may have happened. The journal is settled each minute, and at once by a start.
    await server.stop()
    server = await startServer({ database_url: away().url, home: server.home })
    while ((await db.selectFrom('push_intents').select('id').execute()).length > 0) await setTimeout(100)
    const events = await db
      .selectFrom('events')
      .select(['ref', 'after_oid'])
      .where('project_id', '=', 1)
      .where('action', '=', 'pushed')
      .execute()
    const told = new Set(events.map(({ ref, after_oid }) => `${ref} ${after_oid}`))
    const refs = acknowledged.filter(({ kind }) => kind === 'ref')
    expect(refs.filter(({ name, oid }) => !told.has(`refs/heads/${name} ${oid}`))).toEqual([])
    for (const { name, oid } of refs) expect((await tryGit(dir, 'merge-base', '--is-ancestor', oid, `refs/heads/${name}`)).code).toBe(0)
    for (const { name, tip } of await tipsOf(dir)) expect(told.has(`refs/heads/${name} ${tip}`)).toBe(true)
    const made = acknowledged.filter(({ kind }) => kind === 'project')
    for (const { oid } of made) expect(await server.status(`/projects/${oid}`)).toBe(200)
  })
}

async function tipsOf(dir: string): Promise<Array<{ name: string; tip: string }>> {
  const lines = (await git(dir, 'for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads')).split('\n')
  return lines.map((line) => ({ name: line.split(' ')[0] as string, tip: line.split(' ')[1] as string }))
}

async function withDatabase<T>(read: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  const db = openDatabase(away().url)
  try {
    return await read(db)
  } finally {
    await db.destroy()
  }
}

function basic(): string {
  const { username, password } = new URL(server.remote('away'))
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}
