/** One session of an SSH connection: runs one command, and ends with its exit status. */
import type { Socket } from 'node:net'
import type { ServerChannel, Session } from 'ssh2'
import type { App } from '../../app.ts'
import { asStorageFailure } from '../../db/storage-failure.ts'
import { Failure, plainWords } from '../../failure.ts'
import { clientGone } from '../../git/process/run.ts'
import type { SshCaller } from '../access/access.ts'
import { inputOf, outputOf } from './backpressure.ts'
import { isProtocol, runCommand } from './run-command.ts'

export interface Host {
  socket: Socket
  /** Looks up the caller for each command; null if the key was removed or its use forbidden, or its user is blocked. */
  caller: () => Promise<SshCaller | null>
  /** Called when a command starts; `ended` settles with its end. */
  onCommand: (channel: ServerChannel, ended: Promise<void>) => void
  /** Called when bytes were received or sent. */
  onBytes: () => void
  /** Called after a command; not after a session without one. */
  onClosed: () => void
  /** Closes the connection, because the client violates the protocol. */
  cut: () => void
}

/** No honest client requests smaller packets. The library would split its data into chunks of one byte, or loop forever. */
const minPacket_bytes = 1024

/**
 * Handles the requests of a session: at most one command, and GIT_PROTOCOL as the only environment variable. The library rejects requests
 * without a listener: terminals, forwarding of any kind, subsystems.
 */
export function openSession(app: App, host: Host, session: Session): void {
  let protocol: string | null = null
  session.on('env', (accept, reject, { key: name, val }) => {
    if (name !== 'GIT_PROTOCOL' || !isProtocol(val)) return reject?.()
    protocol = val
    accept?.()
  })
  // Absent for a second command, and after the end of the session: no honest client sends either.
  const answer = (channel: ServerChannel | undefined, line: string | null) => {
    if (!channel || packetSizeOf(channel) < minPacket_bytes) return host.cut()
    host.onCommand(channel, serve(app, host, channel, line, protocol))
  }
  session.on('shell', (accept) => answer(accept(), null))
  session.on('exec', (accept, _, { command }) => answer(accept(), command))
}

/** Missing in the types of the library. */
function packetSizeOf(channel: ServerChannel): number {
  return (channel as unknown as { outgoing: { packetSize: number } }).outgoing.packetSize
}

async function serve(app: App, host: Host, channel: ServerChannel, line: string | null, protocol: string | null): Promise<void> {
  const disconnect = new AbortController()
  const leave = () => disconnect.abort(clientGone())
  const input = inputOf(channel, host.onBytes)
  const output = outputOf(channel, host.socket, host.onBytes)
  channel.once('close', leave)
  channel.once('close', host.onClosed)
  // A channel with unread data doesn't close with its connection.
  host.socket.once('close', leave)
  for (const stream of [channel, channel.stderr, output]) stream.on('error', leave)
  // Git still reads what has arrived, so a complete push is carried out.
  disconnect.signal.addEventListener('abort', () => output.destroy())
  const wire = { input, output, errors: channel.stderr, gone: disconnect.signal, protocol }
  const status = await host.caller().then(
    (caller) => (caller ? runCommand(app, caller, line, wire) : refuse(channel, 'This key opens nothing here any more.')),
    (error: unknown) => {
      app.log.error({ err: error }, 'SSH: could not look up the owner of a key')
      const known = asStorageFailure(error)
      return refuse(channel, known instanceof Failure ? plainWords(known) : 'Something went wrong on the server.')
    },
  )
  // First the output, then the status, then the end: clients treat an end without a status as a failure.
  if (!output.destroyed) await new Promise((resolve) => output.once('close', resolve).end())
  host.socket.off('close', leave)
  channel.unpipe(input).resume()
  if (disconnect.signal.aborted) return
  channel.exit(status)
  channel.end()
}

function refuse(channel: ServerChannel, sentence: string): number {
  channel.stderr.write(`Gitstead: ${sentence}\n`)
  return 128
}
