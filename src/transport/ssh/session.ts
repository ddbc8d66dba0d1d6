/** One session of an SSH connection: it runs one command, and ends with what came of it. */
import type { Readable } from 'node:stream'
import type { ServerChannel, Session } from 'ssh2'
import type { App } from '../../app.ts'
import { asStorageFailure } from '../../db/database.ts'
import type { SshKey } from '../../db/tables.ts'
import { Failure } from '../../failure.ts'
import { openPush } from '../../features/pushes/pushes.service.ts'
import { converse, converseReceiving } from '../../git/packs.ts'
import { type Asker, admit } from '../access.ts'
import { parseCommand, type SshCommand } from './command-line.ts'

const refusal = 'Gitstead runs no other commands than those of git.'

export function openSession(app: App, asker: Asker, key: SshKey, session: Session): void {
  let protocol: string | undefined
  session.on('env', (accept, reject, { key: name, val }) => {
    // Nothing else a client sends gets into the environment of git.
    if (name !== 'GIT_PROTOCOL' || !/^[a-z0-9=:.-]{1,100}$/.test(val)) return reject?.()
    protocol = val
    accept?.()
  })
  session.on('shell', (accept) => end(accept(), greeting(asker, key), 0))
  session.on('exec', (accept, _, { command }) => {
    const channel = accept()
    const asked = parseCommand(command)
    if (!asked) return end(channel, refusal, 128)
    run(app, asker, asked, channel, protocol).catch((error: unknown) => end(channel, inWords(app, error), 128))
  })
}

/** What `ssh -T` shows. */
function greeting(asker: Asker, { title }: SshKey): string {
  const name = asker.kind === 'user' ? `@${asker.user.username}` : `deploy key ${title}`
  return `Welcome to Gitstead, ${name}!`
}

async function run(app: App, asker: Asker, asked: SshCommand, channel: ServerChannel, protocol: string | undefined): Promise<void> {
  if (asked.name === 'git-lfs-authenticate') return end(channel, refusal, 128)
  const writing = asked.name === 'git-receive-pack'
  const { repo, project, user, level } = await admit(app, asker, asked.path, writing ? 'write' : 'read', 'ssh')
  const gone = new AbortController()
  channel.once('close', () => gone.abort())
  const input = channel as Readable
  const child =
    asked.name === 'git-receive-pack' && user
      ? converseReceiving(repo, input, openPush(app, { project, user, level }), { protocol })
      : converse(repo, asked.name === 'git-upload-archive' ? asked.name : 'git-upload-pack', input, { protocol, signal: gone.signal })
  child.stdout.pipe(channel, { end: false })
  // Git must never wait for a client that has gone away.
  channel.once('close', () => child.stdout.resume())
  const { code, stderr } = await child.finished
  if (code !== 0) app.log.warn({ code, stderr: stderr.trim() }, 'git ended with an error')
  channel.exit(code)
  channel.end()
}

function end(channel: ServerChannel, sentence: string, code: number): void {
  channel.on('error', () => {})
  channel.stderr.write(`${sentence}\n`)
  channel.exit(code)
  channel.end()
}

function inWords(app: App, thrown: unknown): string {
  const error = asStorageFailure(thrown)
  if (error instanceof Failure) return `Gitstead: ${error.message}`
  app.log.error({ err: error }, 'unexpected failure')
  return 'Gitstead: Something went wrong on the server.'
}
