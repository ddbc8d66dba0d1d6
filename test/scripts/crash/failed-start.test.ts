/** A start that is impossible fails with one line that names the setting, exit code 1, and no secret. */
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { beforeEach, expect, test } from 'vitest'
import { prepareDataFolder } from '../../support/data-folder.ts'
import { engine } from '../../support/database.ts'
import { testForge } from '../../support/forge.ts'
import { freePort } from '../../support/free-port.ts'
import { gitsteadProgram } from '../../support/program.ts'
import { atEndOfFile } from '../../support/run/cleanup.ts'
import { cpuBudget } from '../../support/run/cpu.ts'
import { inFullRun, isGate } from '../../support/run/tiers.ts'

cpuBudget(9, 'A server process for each reason to fail.')

// The engine is part of what goes wrong.
const onSqlite = test.skipIf(engine === 'postgres')

let folder: string
let home: string

/** The gate has one start of each kind. */
const likeOthers = inFullRun('1 to 3 s of processor: a start for each line. Others here fail at the same setting or at the same moment.')

beforeEach(async () => {
  if (engine === 'postgres') return
  folder = await (await testForge()).folder()
  home = join(folder, 'home')
  await mkdir(home)
})

interface Outcome {
  code: number
  out: string
  err: string
}

interface StartOptions {
  env?: Record<string, string>
  /** Goes before the program. */
  before?: string[]
  main?: string
}

/** Starts the server, which is expected to end by itself. */
async function start({ env = {}, before = [], main }: StartOptions = {}): Promise<Outcome> {
  const [node, built] = await gitsteadProgram()
  const [program = node, ...args] = [...before, node, main ?? built]
  const settings = { GITSTEAD_HOME: home, GITSTEAD_SSH_PORT: 'off', GITSTEAD_PORT: String(await freePort()), ...env }
  return new Promise((resolve) => {
    execFile(program, args, { env: { PATH: process.env.PATH, ...settings }, timeout: 120_000 }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}

/** Without what lets root write and listen everywhere; nothing for others. Null where that can't be had. */
const unprivileged = withoutPrivileges()

function withoutPrivileges(): string[] | null {
  if (process.getuid?.() !== 0) return []
  const before = ['setpriv', '--bounding-set=-dac_override,-dac_read_search,-fowner,-net_bind_service']
  try {
    execFileSync(before[0] as string, [...before.slice(1), 'true'], { stdio: 'ignore' })
    return before
  } catch {
    return null
  }
}

const asOthers = test.skipIf(engine === 'postgres' || unprivileged === null)

function expectLine({ code, out, err }: Outcome, line: RegExp | string): void {
  expect([code, out, err]).toEqual([1, '', typeof line === 'string' ? `gitstead: ${line}\n` : expect.stringMatching(line)])
  expect(err.trimEnd()).not.toContain('\n')
}

onSqlite('an old Node.js is refused before modules that it can’t parse are loaded', async () => {
  const preload = join(folder, 'old.mjs')
  await writeFile(preload, `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })`)
  const line = 'needs Node.js 20.19 or later (this is 18.20.4)'
  expectLine(await start({ env: { NODE_OPTIONS: `--import=${preload}` } }), line)
  // This file is all that is read.
  const [, built] = await gitsteadProgram()
  const alone = join(folder, 'alone')
  await mkdir(alone)
  await writeFile(join(alone, 'package.json'), '{"type":"module"}')
  await copyFile(built, join(alone, 'main.js'))
  expectLine(await start({ main: join(alone, 'main.js'), env: { NODE_OPTIONS: `--import=${preload}` } }), line)
})

asOthers(
  'a data folder that can’t be written or created',
  inFullRun('1 s of processor. An address of another machine is told the same way.'),
  async () => {
    await chmod(home, 0o500)
    expectLine(
      await start({ before: unprivileged ?? [] }),
      `GITSTEAD_HOME must be a folder that this user may write (got "${home}"): permission denied`,
    )
    const below = join(home, 'below')
    expectLine(
      await start({ before: unprivileged ?? [], env: { GITSTEAD_HOME: below } }),
      `GITSTEAD_HOME must be a folder that this user may write (got "${below}"): permission denied`,
    )
  },
)

onSqlite('a data folder that is a file, or inside one', likeOthers, async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  for (const path of [file, join(file, 'below')]) {
    expectLine(
      await start({ env: { GITSTEAD_HOME: path } }),
      `GITSTEAD_HOME must be a folder (got "${path}", which is a file or is inside one)`,
    )
  }
})

const canMount = (() => {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

test.skipIf(engine === 'postgres' || !canMount).each(isGate ? [400] : [64, 400])(
  'a disk that is full at the start, after %s KiB',
  async (size_kib) => {
    const mount = `mount -t tmpfs -o size=${size_kib}k tmpfs '${home}' && exec "$@"`
    const outcome = await start({ before: ['unshare', '--mount', 'sh', '-c', mount, 'sh'] })
    expectLine(outcome, /^gitstead: GITSTEAD_HOME.*(no space left on the disk|the disk is full|cannot be read or written)/)
  },
)

asOthers('a settings file that can’t be read', async () => {
  const file = join(home, 'gitstead.env')
  await writeFile(file, 'GITSTEAD_PORT=1\n', { mode: 0 })
  expectLine(await start({ before: unprivileged ?? [] }), `GITSTEAD_HOME: the settings in "${file}" cannot be read: permission denied`)
})

onSqlite('a settings file that is a folder', likeOthers, async () => {
  await mkdir(join(home, 'gitstead.env'))
  expectLine(await start(), `GITSTEAD_HOME: the settings in "${join(home, 'gitstead.env')}" cannot be read: it is a folder`)
})

onSqlite(
  'a port that another program uses',
  inFullRun('1 s of processor. An address of another machine is told by the same line; `ssh-push.test.ts` has a port that is taken.'),
  async () => {
    await prepareDataFolder(home)
    const other = await listener()
    const port = portOf(other)
    expectLine(
      await start({ env: { GITSTEAD_PORT: String(port) } }),
      `GITSTEAD_PORT must be a free port (got ${port}, which another program uses on 127.0.0.1)`,
    )
  },
)

const arePortsFree = await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8').then(
  (first) => Number(first) <= 81,
  () => false,
)

test.skipIf(engine === 'postgres' || unprivileged === null || arePortsFree)('a port that needs privileges', likeOthers, async () => {
  await prepareDataFolder(home)
  expectLine(
    await start({ before: unprivileged ?? [], env: { GITSTEAD_PORT: '81' } }),
    'GITSTEAD_PORT must be a port this user may listen on (got 81; ports below 1024 need privileges)',
  )
})

onSqlite.each(isGate ? ['192.0.2.1'] : ['192.0.2.1', 'nowhere.invalid'])('an address of another machine: %s', async (host) => {
  await prepareDataFolder(home)
  const line = `GITSTEAD_HOST must be an address of this machine (got "${host}")`
  expectLine(await start({ env: { GITSTEAD_HOST: host } }), line)
  if (!isGate) expectLine(await start({ env: { GITSTEAD_HOST: host, GITSTEAD_SSH_PORT: String(await freePort()) } }), line)
})

onSqlite('a database file that is damaged or locked', likeOthers, async () => {
  const file = join(home, 'gitstead.sqlite')
  await writeFile(file, 'This is no database. '.repeat(1_000))
  expectLine(
    await start(),
    `GITSTEAD_HOME: the database "${file}" is damaged; restore it from a backup (SQLITE_NOTADB: file is not a database)`,
  )
  await writeFile(file, '')
  const other = new BetterSqlite3(file)
  other.exec('begin exclusive')
  expectLine(await start(), `GITSTEAD_HOME: the database "${file}" is locked by another program (SQLITE_BUSY: database is locked)`)
  other.close()
})

const must = 'GITSTEAD_DATABASE_URL must name a PostgreSQL database that can be used'

onSqlite('PostgreSQL that can’t be reached', likeOthers, async () => {
  const port = await freePort()
  expectLine(
    await start({ env: { GITSTEAD_DATABASE_URL: `postgres://forge:s3cret@127.0.0.1:${port}/gitstead?password=s3cret` } }),
    `${must} (got "postgres://forge@127.0.0.1:${port}/gitstead"): connection refused`,
  )
  expectLine(
    await start({ env: { GITSTEAD_DATABASE_URL: 'postgres://forge:s3cret@nowhere.invalid/gitstead' } }),
    new RegExp(
      `^gitstead: ${must} \\(got "postgres://forge@nowhere.invalid/gitstead"\\): (unknown host|the host name could not be looked up)\n$`,
    ),
  )
})

const refusals = [
  ['28P01', 'password authentication failed for user "forge"'],
  ['3D000', 'database "gitstead" does not exist'],
  ['57P03', 'the database system is starting up'],
] as const

onSqlite.each(isGate ? refusals.slice(0, 1) : refusals)('PostgreSQL that refuses with %s: %s', async (code, message) => {
  const body = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.alloc(5, 'E')
  head.writeInt32BE(body.length + 4, 1)
  const server = await listener((data) => (data ? Buffer.concat([head, body]) : null))
  expectLine(
    await start({ env: { GITSTEAD_DATABASE_URL: `postgres://forge:s3cret@127.0.0.1:${portOf(server)}/gitstead` } }),
    `${must} (got "postgres://forge@127.0.0.1:${portOf(server)}/gitstead"): ${message}`,
  )
})

/** Listens until the end of the file, and answers the first bytes of each connection. */
async function listener(answer: (data: Buffer) => Buffer | null = () => null): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      const said = answer(data)
      if (said) socket.end(said)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEndOfFile(() => server.close())
  return server
}

function portOf(server: Server): number {
  return (server.address() as { port: number }).port
}
