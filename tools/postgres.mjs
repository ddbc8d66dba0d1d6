/** A temporary PostgreSQL for tests: uses the installation of this machine, in a temporary folder that is removed afterwards. */
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/**
 * Starts a cluster. Null if no PostgreSQL server is installed. With `durable`, commits survive a crash of the server, as they do outside of
 * tests.
 */
export async function startPostgres({ durable = false } = {}) {
  const programs = findPrograms()
  if (!programs) return null
  const home = mkdtempSync(join(tmpdir(), 'gitstead-postgres-'))
  const account = unprivileged()
  if (account) chownSync(home, account.uid, account.gid)
  const options = { ...account, cwd: home, stdio: 'ignore', env: { PATH: process.env.PATH, LC_ALL: 'C' } }
  const data = join(home, 'data')
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'gitstead', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'], options)
  const port = await freePort()
  const settings = [
    'fsync=off',
    'full_page_writes=off',
    `synchronous_commit=${durable ? 'on' : 'off'}`,
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${home}`,
    'max_connections=300',
    // Hundreds of databases live for a second each: vacuuming and compiled plans gain nothing.
    'autovacuum=off',
    'jit=off',
    'wal_level=minimal',
    'max_wal_senders=0',
  ]
  const run = async () => {
    const started = spawn(join(programs, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], options)
    const ready = ['-h', '127.0.0.1', '-p', String(port), '-U', 'gitstead']
    await waitFor(() => execFileSync(join(programs, 'pg_isready'), ready, { stdio: 'ignore' }))
    return started
  }
  let server = await run()
  const halt = async (signal) => {
    const ended = server.exitCode !== null || new Promise((resolve) => server.once('exit', resolve))
    server.kill(signal)
    await ended
  }
  return {
    url: `postgres://gitstead@127.0.0.1:${port}/postgres`,
    /** Through its socket, a statement costs the server a third less than through the network. */
    socketUrl: `postgres://gitstead@127.0.0.1:${port}/postgres?host=${encodeURIComponent(home)}`,
    pid: () => server.pid,
    /** `fast` closes connections and transactions properly, `immediate` simulates a crash. */
    halt: (mode) => halt(mode === 'immediate' ? 'SIGQUIT' : 'SIGINT'),
    async resume() {
      server = await run()
    },
    async stop() {
      await halt('SIGINT')
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function findPrograms() {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...(process.env.PATH ?? '').split(delimiter)]
  return folders.find((folder) => ['initdb', 'postgres', 'pg_isready'].every((program) => existsSync(join(folder, program)))) ?? null
}

/** PostgreSQL refuses to run as root: it runs as another user then. */
function unprivileged() {
  if (process.getuid?.() !== 0) return null
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      // Try the next one.
    }
  }
  return null
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

async function waitFor(check, patience_ms = 20_000) {
  const until = Date.now() + patience_ms
  for (;;) {
    try {
      return check()
    } catch (error) {
      if (Date.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
