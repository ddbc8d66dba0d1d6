/** One SSH connection: authenticates, opens sessions, and is closed when it exceeds its limits. */
import type { Socket } from 'node:net'
import type { Connection, ServerChannel } from 'ssh2'
import { principalOfKey } from '../../access/principals.ts'
import { fingerprintsOf, type PublicKey } from '../../access/ssh-keys.ts'
import type { App } from '../../app.ts'
import { inBackground, reportFailure } from '../../background.ts'
import { findKeyHolder, type KeyHolder, noteUse } from '../../features/people/keys/keys.ts'
import type { SshCaller } from '../access/access.ts'
import type { Slot, SshLimits } from './limits.ts'
import { openSession } from './session.ts'
import { authenticateClient } from './sign-in.ts'

export interface SshClient {
  socket: Socket
  /** Called when the library has read the client's identification; nothing is authenticated yet. */
  begin: (connection: Connection) => void
  /** Accepts no further commands, and ends after the running ones. */
  finish: () => void
  cut: () => void
  /** Settles when no command is running. */
  whenIdle: () => Promise<unknown>
}

interface Arrival {
  socket: Socket
  address: string
  slot: Slot
  limits: SshLimits
}

export function serveClient(app: App, { socket, address, slot, limits }: Arrival): SshClient {
  const running = new Map<ServerChannel, Promise<void>>()
  let connection: Connection | null = null
  let signedIn = false
  let finishing = false
  const cut = () => void socket.destroy()
  const watch = watchOver(limits, cut)
  const end = () => (connection ? connection.end() : cut())
  const rest = () => {
    if (running.size > 0) return watch.expect(limits.silent_ms)
    // If a client was accepted without a known key because the database was unavailable, it has received its error message.
    watch.expect(signedIn ? limits.idle_ms : limits.sign_in_ms)
    if (finishing) end()
  }

  socket.once('close', () => {
    watch.stop()
    slot.leave()
  })
  socket.on('data', () => {
    if (signedIn ? overflows(running.keys()) : socket.bytesRead > limits.unsigned_bytes) return cut()
    // Replies that the client doesn't read must not pile up, so stop reading requests.
    if (socket.writableLength > maxUnread_bytes && !socket.isPaused()) {
      socket.pause()
      socket.once('drain', () => socket.resume())
    }
  })

  /** From here on, the limits of authenticated clients apply. */
  const onAuthenticated = (key: PublicKey, holder: KeyHolder) => {
    const { key: row, user } = holder
    const fingerprint = fingerprintsOf(key.blob).sha256
    app.log.info({ address, fingerprint, key: row.id, user: user?.username ?? null }, 'SSH: authenticated')
    signedIn = true
    slot.signedIn()
    rest()
    inBackground(app, noteUse(app, holder), 'SSH: could not record the use of a key', { key: row.id })
  }
  const onRight = (key: PublicKey, known: KeyHolder | null) => {
    if (known) onAuthenticated(key, known)
    const host = {
      socket,
      cut,
      async caller() {
        const holder = await findKeyHolder(app, key)
        if (holder && !signedIn) onAuthenticated(key, holder)
        return holder && callerOf(holder)
      },
      onBytes: watch.touch,
      onCommand(channel: ServerChannel, ended: Promise<void>) {
        const settled = ended.catch((error: unknown) => app.log.error({ err: error }, 'SSH: session failed'))
        const over = settled.then(() => void running.delete(channel)).then(rest)
        running.set(
          channel,
          over.catch((error: unknown) => reportFailure(app, error, 'SSH: connection not closed')),
        )
        rest()
      },
    }
    let sessions = 0
    connection?.on('session', (accept, refuse) => {
      if (sessions >= limits.sessions || finishing) return refuse()
      sessions += 1
      // A session closed without a command still counts: it can't be distinguished from an open one.
      const onClosed = () => {
        sessions -= 1
      }
      openSession(app, { ...host, onClosed }, accept())
    })
  }

  return {
    socket,
    cut,
    begin(opened) {
      connection = opened
      opened.on('error', (error) => app.log.debug({ err: error, address }, 'SSH: connection failed'))
      authenticateClient(app, opened, { address, limits }, onRight)
    },
    finish() {
      finishing = true
      if (running.size === 0) end()
    },
    whenIdle: () => Promise.all(running.values()),
  }
}

/** Limit of a connection's buffer; beyond it nothing more is read. */
const maxUnread_bytes = 8 * 1024 * 1024

/** Twice the window of the library, which accepts whatever a client sends beyond it. */
const maxUntaken_bytes = 4 * 1024 * 1024

function overflows(channels: Iterable<ServerChannel>): boolean {
  for (const channel of channels) if (channel.readableLength > maxUntaken_bytes) return true
  return false
}

/** Calls `cut` after the connection was inactive for too long; before authentication, after a fixed time. */
function watchOver({ sign_in_ms }: SshLimits, cut: () => void) {
  let timer: NodeJS.Timeout | null = setTimeout(cut, sign_in_ms)
  return {
    expect(within_ms: number) {
      // A command may end after its connection.
      if (!timer) return
      clearTimeout(timer)
      timer = setTimeout(cut, within_ms)
    },
    touch: () => void timer?.refresh(),
    stop() {
      if (timer) clearTimeout(timer)
      timer = null
    },
  }
}

function callerOf(holder: KeyHolder): SshCaller {
  return { principal: principalOfKey(holder), key: holder.key }
}
