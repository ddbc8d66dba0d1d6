/** Runs one command of an SSH client: for the built-in server, and for `gitstead shell` under the SSH server of the machine. */
import type { Readable, Writable } from 'node:stream'
import { sshCloneUrl } from '../../addresses/links.ts'
import type { App } from '../../app.ts'
import { asStorageFailure } from '../../db/storage-failure.ts'
import { Failure } from '../../failure.ts'
import { maxPush_bytes } from '../../features/storage/quotas/quotas.ts'
import { failureIn } from '../../git/process/git-failure.ts'
import { clientGone, type GitChild } from '../../git/process/run.ts'
import { onBehalfOf } from '../../git/repository/handles.ts'
import type { Repo } from '../../git/repository/repository.ts'
import { converse, converseArchive, converseReceiving } from '../../git/wire/protocol.ts'
import { userKey } from '../../limits/callers.ts'
import { takeStream } from '../../limits/streams.ts'
import { admit, type GitSession, handlersOf, hasMoved, type SshCaller } from '../access/access.ts'
import { inWords } from '../access/failure-text.ts'
import { countWhenSent } from '../access/fetches.ts'
import { authenticateLfs } from '../lfs/authenticate.ts'
import { parseCommand, type SshCommand } from './command-line.ts'

/** The streams of a command. `gone` aborts when the client leaves. */
export interface Wire {
  input: Readable
  output: Writable
  errors: Writable
  gone: AbortSignal
  /** The value of GIT_PROTOCOL; null if there is none. */
  protocol: string | null
}

/** Whether it is a valid value of GIT_PROTOCOL; no other value is passed to the environment of git. */
export function isProtocol(value: string): boolean {
  return /^[a-z0-9=:.-]{1,100}$/.test(value)
}

/** The exit status of git when it can't start. */
const failed = 128

/** Runs the command in this line and returns the exit status. Without a line, it only prints a greeting. Never throws. */
export async function runCommand(app: App, caller: SshCaller, line: string | null, wire: Wire): Promise<number> {
  try {
    if (line === null) return writeLine(wire, greeting(caller), 0)
    const command = parseCommand(line)
    if (!command) return writeLine(wire, 'Gitstead runs no other commands than those of git, on paths like group/project.git.', failed)
    if (command.name === 'git-lfs-authenticate') {
      wire.output.write(`${JSON.stringify(await authenticateLfs(app, caller, command.path, command.operation))}\n`)
      return 0
    }
    const started = performance.now()
    const { principal, key } = caller
    const release = await takeStream(app.limits, keyOf(caller), 'signed in')
    const status = await begin(app, caller, command, wire)
      .then((service) => serve(app, service, command, wire))
      .finally(release)
    const user = principal.kind === 'person' ? principal.user.username : null
    app.log.info({ ...command, user, key: key.id, status, ms: Math.round(performance.now() - started) }, 'git over SSH')
    return status
  } catch (error) {
    return writeLine(wire, errorText(app, error), failed)
  }
}

function writeLine({ errors }: Wire, sentence: string, status: number): number {
  errors.write(`${sentence}\n`)
  return status
}

/** Shown by `ssh -T`, which people use to test their key. */
function greeting({ principal, key }: SshCaller): string {
  return `Welcome to Gitstead, ${principal.kind === 'person' ? `@${principal.user.username}` : `deploy key ${key.title}`}!`
}

/** Key under which commands are counted together. */
function keyOf({ principal, key }: SshCaller): string {
  return principal.kind === 'person' ? userKey(principal.user) : `deploy-key:${key.id}`
}

type GitCommand = Exclude<SshCommand, { name: 'git-lfs-authenticate' }>

/** A running git command. */
interface Conversation {
  child: GitChild
  repo: Repo
}

async function begin(app: App, caller: SshCaller, { name, path }: GitCommand, wire: Wire): Promise<Conversation> {
  const { principal } = caller
  const protocol = wire.protocol ?? undefined
  if (name !== 'git-receive-pack') {
    const session = await admit(app, principal, path, 'read', 'ssh')
    warnIfMoved(app, session, path, wire)
    const options = { protocol, signal: wire.gone }
    const repo = onBehalfOf(session.repo, keyOf(caller), () => wire.gone)
    if (name === 'git-upload-archive') return { child: await converseArchive(repo, wire.input, options), repo }
    const child = converse(repo, wire.input, options)
    countWhenSent(app, session, child.stdout)
    return { child, repo }
  }
  const session = await admit(app, principal, path, 'push', 'ssh')
  const { repo, user } = session
  if (!user) throw new Error('a push was admitted for nobody')
  warnIfMoved(app, session, path, wire)
  const maxInput_bytes = session.project && (await maxPush_bytes(app, session.project))
  return { child: converseReceiving(repo, wire.input, handlersOf(app, session, user), { protocol, maxInput_bytes }), repo }
}

/** SSH has no redirects, so the message contains the command that changes the remote. */
function warnIfMoved({ config }: App, session: GitSession, path: string, wire: Wire): void {
  if (!hasMoved(session, path)) return
  writeLine(wire, `Gitstead: The project ${path} is now ${session.path}. Please tell git:`, 0)
  writeLine(wire, `Gitstead:   git remote set-url origin ${sshCloneUrl(config, session.path)}`, 0)
}

async function serve(app: App, { child, repo }: Conversation, { name }: GitCommand, wire: Wire): Promise<number> {
  const { output, gone } = wire
  // Git must never wait for a client that has left: a push continues to its end.
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
  app.log.warn({ code, stderr: stderr.trim() }, 'git failed')
  const failure = await failureIn(repo.dir, ['of a client'], code, stderr)
  if (failure.code === 'storage_full') writeLine(wire, errorText(app, failure), code)
  return code
}

/** Calls `end` if the client reads nothing for `silence_ms`. Returns a function that stops the watch. */
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

/** Error text for the client, with a prefix on each line: git shows it beside its own. */
function errorText(app: App, thrown: unknown): string {
  const error = asStorageFailure(thrown)
  const known = error instanceof Failure
  if (!known) app.log.error({ err: error }, 'unexpected failure')
  return (known ? inWords(error) : 'Something went wrong on the server.')
    .split('\n')
    .map((line) => `Gitstead: ${line}`)
    .join('\n')
}
