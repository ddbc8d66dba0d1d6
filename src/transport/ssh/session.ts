/** One session of an SSH connection: it runs one command, and ends with what came of it. */
import type { Readable } from 'node:stream'
import type { ServerChannel, Session } from 'ssh2'
import type { App } from '../../app.ts'
import { type Caller, isProtocol, runCommand } from './run-command.ts'

/** Answers what a client asks of a session: one command or none, and of its environment the protocol of git alone. */
export function openSession(app: App, caller: Caller, session: Session): void {
  let protocol: string | null = null
  session.on('env', (accept, reject, { key: name, val }) => {
    if (name !== 'GIT_PROTOCOL' || !isProtocol(val)) return reject?.()
    protocol = val
    accept?.()
  })
  const answer = (channel: ServerChannel, line: string | null) => void serve(app, caller, channel, line, protocol)
  session.on('shell', (accept) => answer(accept(), null))
  session.on('exec', (accept, _, { command }) => answer(accept(), command))
}

async function serve(app: App, caller: Caller, channel: ServerChannel, line: string | null, protocol: string | null): Promise<void> {
  const gone = new AbortController()
  channel.once('close', () => gone.abort())
  channel.on('error', () => {})
  const wire = { input: channel as Readable, output: channel, errors: channel.stderr, gone: gone.signal, protocol }
  const status = await runCommand(app, caller, line, wire)
  // The status goes before the end: a client that sees the end first takes it for a failure.
  channel.exit(status)
  channel.end()
}
