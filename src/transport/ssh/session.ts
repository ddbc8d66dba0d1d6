/** One session of an SSH connection: it runs one command, and ends with what came of it. */
import type { Socket } from 'node:net'
import type { ServerChannel, Session } from 'ssh2'
import type { App } from '../../app.ts'
import { asStorageFailure } from '../../db/database.ts'
import { Failure, plainWords } from '../../failure.ts'
import { clientGone } from '../../git/process/run.ts'
import type { SshCaller } from '../access/access.ts'
import { inputOf, outputOf } from './backpressure.ts'
import { isProtocol, runCommand } from './run-command.ts'

export interface Host {
  socket: Socket
  /** Who it is now: looked up for each command; null when the key is gone, forbidden by now, or its user blocked. */
  caller: () => Promise<SshCaller | null>
  /** A command has begun; it ends with this promise. */
  onCommand: (channel: ServerChannel, ended: Promise<void>) => void
  /** Bytes have come or gone. */
  onBytes: () => void
  /** After a command; not after a session that had none. */
  onClosed: () => void
  /** The client breaks the rules of the protocol. */
  cut: () => void
}

/** Smaller packets than any client asks for. The library would cut its data into pieces of one byte, or of none, for ever. */
const minPacket_bytes = 1024

/**
 * Answers what a client asks of a session: one command or none, and of its environment the protocol of git alone. What nobody
 * listens for the library refuses: terminals, forwarding of whatever kind, subsystems.
 */
export function openSession(app: App, host: Host, session: Session): void {
  let protocol: string | null = null
  session.on('env', (accept, reject, { key: name, val }) => {
    if (name !== 'GIT_PROTOCOL' || !isProtocol(val)) return reject?.()
    protocol = val
    accept?.()
  })
  // Absent for a second command, and for one after the end of the session: no client of good will sends either.
  const answer = (channel: ServerChannel | undefined, line: string | null) => {
    if (!channel || packetSizeOf(channel) < minPacket_bytes) return host.cut()
    host.onCommand(channel, serve(app, host, channel, line, protocol))
  }
  session.on('shell', (accept) => answer(accept(), null))
  session.on('exec', (accept, _, { command }) => answer(accept(), command))
}

/** Its types keep silent about it. */
function packetSizeOf(channel: ServerChannel): number {
  return (channel as unknown as { outgoing: { packetSize: number } }).outgoing.packetSize
}

async function serve(app: App, host: Host, channel: ServerChannel, line: string | null, protocol: string | null): Promise<void> {
  const gone = new AbortController()
  const leave = () => gone.abort(clientGone())
  const input = inputOf(channel, host.onBytes)
  const output = outputOf(channel, host.socket, host.onBytes)
  channel.once('close', leave)
  channel.once('close', host.onClosed)
  // A channel that still holds something nobody reads doesn't close with its connection.
  host.socket.once('close', leave)
  for (const stream of [channel, channel.stderr, output]) stream.on('error', leave)
  // What has come already git may still read: a push that has arrived whole is a push.
  gone.signal.addEventListener('abort', () => output.destroy())
  const wire = { input, output, errors: channel.stderr, gone: gone.signal, protocol }
  const status = await host.caller().then(
    (caller) => (caller ? runCommand(app, caller, line, wire) : refuse(channel, 'This key opens nothing here any more.')),
    (error: unknown) => {
      app.log.error({ err: error }, 'SSH: could not look up the owner of a key')
      const known = asStorageFailure(error)
      return refuse(channel, known instanceof Failure ? plainWords(known) : 'Something went wrong on the server.')
    },
  )
  // What git said goes first, then the status, then the end: a client that sees the end before the status takes it for a failure.
  if (!output.destroyed) await new Promise((resolve) => output.once('close', resolve).end())
  host.socket.off('close', leave)
  channel.unpipe(input).resume()
  if (gone.signal.aborted) return
  channel.exit(status)
  channel.end()
}

function refuse(channel: ServerChannel, sentence: string): number {
  channel.stderr.write(`Gitstead: ${sentence}\n`)
  return 128
}
