/** Runs one command of a client who came by SSH: for our own server, and for `gitstead shell` under that of the machine. */
import type { Readable, Writable } from 'node:stream'
import type { App } from '../../app.ts'
import { asStorageFailure } from '../../db/database.ts'
import type { SshKey } from '../../db/tables.ts'
import { Failure } from '../../failure.ts'
import { openPush } from '../../features/repository/pushes/pushes.ts'
import { clientGone, failureIn, type GitChild } from '../../git/process/run.ts'
import type { Repo } from '../../git/repository/repository.ts'
import { converse, converseReceiving } from '../../git/wire/protocol.ts'
import { takeStream, userKey } from '../../limits/streams.ts'
import { sshCloneUrl } from '../../links.ts'
import { type Actor, admit, type GitSession, hasMoved } from '../access.ts'
import { inWords } from '../failure-text.ts'
import { authenticateLfs } from '../lfs/authenticate.ts'
import { parseCommand, type SshCommand } from './command-line.ts'

/** Who asks, and by which key. */
export interface Caller {
  asker: Actor
  key: SshKey
}

/** What a command reads and writes. `gone` says that nobody listens any more. */
export interface Wire {
  input: Readable
  output: Writable
  errors: Writable
  gone: AbortSignal
  /** The value of GIT_PROTOCOL; null when there is none. */
  protocol: string | null
}

/** What a client may say of the protocol; anything else it sends stays outside of git's environment. */
export function isProtocol(value: string): boolean {
  return /^[a-z0-9=:.-]{1,100}$/.test(value)
}

/** What git itself gives back when it can't begin. */
const failed = 128

/** Runs the command in this line to its end; gives back the exit status. Without a line, only greets. Never throws. */
export async function runCommand(app: App, caller: Caller, line: string | null, wire: Wire): Promise<number> {
  try {
    if (line === null) return say(wire, greeting(caller), 0)
    const asked = parseCommand(line)
    if (!asked) return say(wire, 'Gitstead runs no other commands than those of git, on paths like group/project.git.', failed)
    if (asked.name === 'git-lfs-authenticate') {
      wire.output.write(`${JSON.stringify(await authenticateLfs(app, caller, asked.path, asked.operation))}\n`)
      return 0
    }
    const started = performance.now()
    const { asker, key } = caller
    const release = await takeStream(app.limits, asker.kind === 'user' ? userKey(asker.user) : `deploy-key:${key.id}`, 'signed in')
    const status = await begin(app, caller, asked, wire)
      .then((begun) => talk(app, begun, asked, wire))
      .finally(release)
    const user = asker.kind === 'user' ? asker.user.username : null
    app.log.info({ ...asked, user, key: key.id, status, ms: Math.round(performance.now() - started) }, 'git over SSH')
    return status
  } catch (error) {
    return say(wire, fieldError(app, error), failed)
  }
}

function say({ errors }: Wire, sentence: string, status: number): number {
  errors.write(`${sentence}\n`)
  return status
}

/** What `ssh -T` shows. */
function greeting({ asker, key }: Caller): string {
  return `Welcome to Gitstead, ${asker.kind === 'user' ? `@${asker.user.username}` : `deploy key ${key.title}`}!`
}

type GitCommand = Exclude<SshCommand, { name: 'git-lfs-authenticate' }>

/** A command of git under way. */
interface Begun {
  child: GitChild
  repo: Repo
}

async function begin(app: App, { asker }: Caller, { name, path }: GitCommand, wire: Wire): Promise<Begun> {
  const protocol = wire.protocol ?? undefined
  if (name !== 'git-receive-pack') {
    const session = await admit(app, asker, path, 'read', 'ssh')
    tellIfMoved(app, session, path, wire)
    return { child: converse(session.repo, name, wire.input, { protocol, signal: wire.gone }), repo: session.repo }
  }
  const session = await admit(app, asker, path, 'push', 'ssh')
  const { repo, project, user, level } = session
  if (!user) throw new Error('a push was admitted for nobody')
  tellIfMoved(app, session, path, wire)
  return { child: converseReceiving(repo, wire.input, openPush(app, { project, user, level }), { protocol }), repo }
}

/** Git over SSH can't be sent elsewhere, so its user is asked to go. */
function tellIfMoved({ config }: App, session: GitSession, path: string, wire: Wire): void {
  if (!hasMoved(session, path)) return
  const { full_path } = session.project
  say(wire, `Gitstead: The project ${path} is now ${full_path}. Please tell git:`, 0)
  say(wire, `Gitstead:   git remote set-url origin ${sshCloneUrl(config, full_path)}`, 0)
}

async function talk(app: App, { child, repo }: Begun, { name }: GitCommand, wire: Wire): Promise<number> {
  const { output, gone } = wire
  // Git must never wait for a client that has gone away: what it has begun to write it finishes.
  const leave = () => child.stdout.unpipe(output).resume()
  const stopWatching = whenUnread(child.stdout, output, app.limits.silence_ms.upload, () => {
    leave()
    if (name !== 'git-receive-pack') child.kill(clientGone())
  })
  if (gone.aborted) leave()
  else child.stdout.pipe(output, { end: false })
  gone.addEventListener('abort', leave, { once: true })
  const { code, stderr } = await child.finished.finally(stopWatching)
  if (code === 0) return code
  app.log.warn({ code, stderr: stderr.trim() }, 'git ended with an error')
  const failure = await failureIn(repo.dir, ['of a client'], code, stderr)
  if (failure.code === 'storage_full') say(wire, fieldError(app, failure), code)
  return code
}

/** Calls `end` when for so long nothing of what waits for the client has gone: it doesn't read. Gives back what ends the watch. */
function whenUnread(source: Readable, output: Writable, silence_ms: number, end: () => void): () => void {
  let has_moved = false
  let before = 0
  source.on('data', () => {
    has_moved = true
  })
  const look = () => {
    const { writableLength: now } = output
    if (!has_moved && now > 0 && now === before) end()
    has_moved = false
    before = now
  }
  const watch = setInterval(look, silence_ms)
  return () => clearInterval(watch)
}

/** One line for each line of what is wrong: git shows them beside its own. */
function fieldError(app: App, thrown: unknown): string {
  const error = asStorageFailure(thrown)
  const known = error instanceof Failure
  if (!known) app.log.error({ err: error }, 'unexpected failure')
  return (known ? inWords(error) : 'Something went wrong on the server.')
    .split('\n')
    .map((line) => `Gitstead: ${line}`)
    .join('\n')
}
