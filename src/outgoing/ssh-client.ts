/** SSH connections to hosts chosen by users: to addresses that the guard has checked, and only if the host key is accepted. */
import type { Duplex } from 'node:stream'
import ssh2 from 'ssh2'
import { Failure } from '../failure.ts'
import type { PinnedTarget } from './ssrf-guard.ts'

export interface SshLogin {
  username: string
  /** In OpenSSH format. */
  private_key: string | null
  password: string | null
  /** Called with the host key in wire format; false rejects it. */
  isHost: (key: Buffer) => boolean
}

const ready_ms = 20_000
const keepalive_ms = 15_000

/**
 * Runs a command on the remote machine; the stream ends with it. The connection ends with the stream and the signal. Throws a Failure that
 * tells users why there is no connection.
 */
export async function runOverSsh(target: PinnedTarget, login: SshLogin, command: string, signal: AbortSignal): Promise<Duplex> {
  const client = new ssh2.Client()
  let isRefused = false
  const end = () => client.destroy()
  signal.addEventListener('abort', end, { once: true })
  client.once('close', () => signal.removeEventListener('abort', end))
  try {
    return await new Promise<Duplex>((resolve, reject) => {
      if (signal.aborted) reject(new Failure('timed_out', 'The work was cancelled'))
      client.on('error', reject)
      client.once('close', () => reject(new Error('closed')))
      client.once('ready', () =>
        client.exec(command, (error, channel) => {
          if (error) return reject(error)
          channel.stderr.resume()
          channel.once('close', () => client.end())
          resolve(channel)
        }),
      )
      client.connect({
        host: target.addresses[0] as string,
        port: target.port,
        username: login.username,
        ...(login.private_key !== null ? { privateKey: login.private_key } : { password: login.password ?? '' }),
        readyTimeout: ready_ms,
        keepaliveInterval: keepalive_ms,
        hostVerifier: (blob: Buffer) => {
          isRefused = !login.isHost(blob)
          return !isRefused
        },
      })
    })
  } catch (cause) {
    client.destroy()
    throw cause instanceof Failure ? cause : new Failure('invalid', isRefused ? wrongHost : reasonOf(cause), { cause })
  }
}

const wrongHost = 'The host has another key than the one that is pinned'

function reasonOf(error: unknown): string {
  const { level, code } = error as { level?: string; code?: string }
  if (level === 'client-authentication') return 'The host rejects the key or the password'
  if (level === 'client-timeout' || code === 'ECONNREFUSED' || level === 'client-socket') return 'The host could not be reached'
  return 'What is at this URL does not speak SSH, or hung up'
}
