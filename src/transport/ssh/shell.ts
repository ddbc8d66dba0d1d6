/** Git under the SSH server of the machine: `gitstead shell` and `gitstead authorized-keys`. */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { principalOfKey } from '../../access/principals.ts'
import { parsePublicKey } from '../../access/ssh-keys.ts'
import { type App, closeApp, openApp } from '../../app.ts'
import { type Config, readConfig } from '../../config.ts'
import { StartRefused } from '../../failure.ts'
import { authorizedKeyLine, findKeyHolder, findKeyHolderById, noteUse } from '../../features/people/keys/keys.ts'
import { writeFetches } from '../../features/repository/fetches/fetches.ts'
import { clientGone } from '../../git/process/run.ts'
import { type ConcurrencyLimiter, isRefusal, type LimiterMaker, type Release } from '../../limits/concurrency.ts'
import { networkOf } from '../../limits/network.ts'
import { limiterAt, type SlotServer, serveSlots } from '../../limits/slot-socket.ts'
import type { SshCaller } from '../access/access.ts'
import { allConnections } from './limits.ts'
import { isProtocol, runCommand } from './run-command.ts'

type Environment = Record<string, string | undefined>

/** Runs the client's command as the holder of `key-<id>`, on the standard streams. Returns the exit status. */
export function runShell(env: Environment, name: string): Promise<number> {
  const [, id] = /^key-(\d{1,15})$/.exec(name) ?? []
  if (id === undefined) throw new StartRefused(`${name} is not a key name like key-1`)
  return withApp(env, async (app) => {
    const holder = await findKeyHolderById(app, Number(id))
    if (!holder) return refuse('This key is not known any more, or may not be used.', 1)
    const socket = slotSocket(app.config.home)
    app.limits.streams = limiterAt(socket, 'streams')
    const release = await enterFrom(env, limiterAt(socket, 'ssh'))
    if (!release) return refuse('Too many connections from your address are open. Try again in a few seconds.', 128)
    const [status] = await Promise.all([serve(app, { principal: principalOfKey(holder), key: holder.key }, env), noteUse(app, holder)])
    release()
    await writeFetches(app)
    return status
  })
}

function refuse(sentence: string, status: number): number {
  process.stderr.write(`Gitstead: ${sentence}\n`)
  return status
}

/** Counts this command as a connection from the client's address; null at the limit. */
async function enterFrom({ SSH_CONNECTION }: Environment, connections: ConcurrencyLimiter): Promise<Release | null> {
  const [address = ''] = (SSH_CONNECTION ?? '').split(' ')
  if (address === '') return () => {}
  const slot = await connections.acquire(networkOf(address))
  return isRefusal(slot) ? null : slot
}

/** The socket on which the server gives slots to commands like this one. */
function slotSocket(home: string): string {
  return join(home, 'ssh', 'slots.sock')
}

/**
 * Includes commands under the SSH server of the machine in the stream and connection limits of this server. If that isn't possible, the
 * server runs all the same and logs it.
 * @param limiter the limiters of the built-in SSH server
 */
export async function serveShells(app: App, limiter: LimiterMaker): Promise<SlotServer | null> {
  const path = slotSocket(app.config.home)
  const streams: ConcurrencyLimiter = { acquire: (key) => app.limits.streams.acquire(key) }
  try {
    await mkdir(dirname(path), { recursive: true })
    return await serveSlots(path, { streams, ssh: allConnections(limiter) })
  } catch (error) {
    app.log.warn({ err: error, path }, 'gitstead shell does not count as streams')
    return null
  }
}

/** The AuthorizedKeysCommand line for a known key; null for any other. */
export function findAuthorizedKey(env: Environment, type: string, base64: string): Promise<string | null> {
  return withApp(env, async (app) => {
    const found = parsePublicKey(`${type} ${base64}`)
    const holder = found && (await findKeyHolder(app, found.key))
    return holder && authorizedKeyLine(app.config.home, holder.key)
  })
}

async function serve(app: App, caller: SshCaller, env: Environment): Promise<number> {
  const { stdin, stdout, stderr } = process
  const disconnect = new AbortController()
  for (const stream of [stdout, stderr]) stream.on('error', () => disconnect.abort(clientGone()))
  const sent = env.GIT_PROTOCOL ?? ''
  const protocol = isProtocol(sent) ? sent : null
  const line = env.SSH_ORIGINAL_COMMAND || null
  try {
    return await runCommand(app, caller, line, { input: stdin, output: stdout, errors: stderr, gone: disconnect.signal, protocol })
  } finally {
    // An open stdin would keep the process alive.
    stdin.destroy()
  }
}

/** The output belongs to git, so errors are logged to a file beside the keys. */
async function withApp<T>(env: Environment, work: (app: App) => Promise<T>): Promise<T> {
  const config: Config = readConfig(env)
  const absent = config.database_url === null && !existsSync(join(config.home, 'gitstead.sqlite'))
  if (absent) throw new StartRefused(`no Gitstead data in ${config.home}; GITSTEAD_HOME must name the data folder`)
  const log_file = join(config.home, 'ssh', 'shell.log')
  const app = await openApp({ ...config, log_level: config.log_level === 'silent' ? 'silent' : 'error' }, { beside_server: { log_file } })
  try {
    return await work(app)
  } finally {
    await closeApp(app)
  }
}
