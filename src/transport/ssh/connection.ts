/** One connection by SSH, from its first byte to its end: signs in, opens sessions, and is cut when it outstays its limits. */
import type { Socket } from 'node:net'
import type { Connection, ServerChannel } from 'ssh2'
import { fingerprintsOf, type PublicKey } from '../../access/ssh-keys.ts'
import type { App } from '../../app.ts'
import { inBackground, reportFailure } from '../../background.ts'
import { findKeyHolder, type KeyHolder, noteUse } from '../../features/people/keys/keys.ts'
import { actorOfKey } from '../access.ts'
import type { Place, SshLimits } from './limits.ts'
import type { Caller } from './run-command.ts'
import { openSession } from './session.ts'
import { judgeSignIns } from './sign-in.ts'

export interface Guest {
  socket: Socket
  /** The library has read who the client says it is; nothing is signed yet. */
  welcome: (connection: Connection) => void
  /** Takes no new command, and ends after those under way. */
  finish: () => void
  cut: () => void
  /** Settles when no command of it is under way any more. */
  atRest: () => Promise<unknown>
}

interface Arrival {
  socket: Socket
  address: string
  place: Place
  limits: SshLimits
}

export function receiveGuest(app: App, { socket, address, place, limits }: Arrival): Guest {
  const running = new Map<ServerChannel, Promise<void>>()
  let connection: Connection | null = null
  let signedIn = false
  let finishing = false
  const cut = () => void socket.destroy()
  const watch = watchOver(limits, cut)
  const end = () => (connection ? connection.end() : cut())
  const rest = () => {
    if (running.size > 0) return watch.expect(limits.silent_ms)
    // Who was let in as nobody, for want of a database, has had an answer and is to go.
    watch.expect(signedIn ? limits.idle_ms : limits.sign_in_ms)
    if (finishing) end()
  }

  socket.once('close', () => {
    watch.stop()
    place.leave()
  })
  socket.on('data', () => {
    if (signedIn ? overflows(running.keys()) : socket.bytesRead > limits.unsigned_bytes) return cut()
    // Answers nobody reads must not pile up: then no more is asked.
    if (socket.writableLength > maxUnread_bytes && !socket.isPaused()) {
      socket.pause()
      socket.once('drain', () => socket.resume())
    }
  })

  /** From here on the limits of those who are known hold. */
  const welcomeHolder = (key: PublicKey, holder: KeyHolder) => {
    const { key: row, user } = holder
    const fingerprint = fingerprintsOf(key.blob).sha256
    app.log.info({ address, fingerprint, key: row.id, user: user?.username ?? null }, 'signed in over SSH')
    signedIn = true
    place.signedIn()
    rest()
    inBackground(app, noteUse(app, holder), 'could not note the use of an SSH key', { key: row.id })
  }
  const onRight = (key: PublicKey, known: KeyHolder | null) => {
    if (known) welcomeHolder(key, known)
    const host = {
      socket,
      cut,
      async caller() {
        const holder = await findKeyHolder(app, key)
        if (holder && !signedIn) welcomeHolder(key, holder)
        return holder && callerOf(holder)
      },
      onBytes: watch.touch,
      onCommand(channel: ServerChannel, ended: Promise<void>) {
        const settled = ended.catch((error: unknown) => app.log.error({ err: error }, 'a session over SSH failed'))
        const over = settled.then(() => void running.delete(channel)).then(rest)
        running.set(
          channel,
          over.catch((error: unknown) => reportFailure(app, error, 'SSH connection not closed')),
        )
        rest()
      },
    }
    let sessions = 0
    connection?.on('session', (accept, refuse) => {
      if (sessions >= limits.sessions || finishing) return refuse()
      sessions += 1
      // One that is closed without a command stays on the books, ours and the library's: it can't be told from an open one.
      const onClosed = () => {
        sessions -= 1
      }
      openSession(app, { ...host, onClosed }, accept())
    })
  }

  return {
    socket,
    cut,
    welcome(opened) {
      connection = opened
      opened.on('error', (error) => app.log.debug({ err: error, address }, 'a connection by SSH failed'))
      judgeSignIns(app, opened, { address, limits }, onRight)
    },
    finish() {
      finishing = true
      if (running.size === 0) end()
    },
    atRest: () => Promise.all(running.values()),
  }
}

/** What may wait in a connection's buffer before no more is read from it. */
const maxUnread_bytes = 8 * 1024 * 1024

/** Twice the window of the library, which takes whatever a client sends beyond it. */
const maxUntaken_bytes = 4 * 1024 * 1024

function overflows(channels: Iterable<ServerChannel>): boolean {
  for (const channel of channels) if (channel.readableLength > maxUntaken_bytes) return true
  return false
}

/** Calls `cut` when too long nothing was heard of; before the sign-in, whatever was heard. */
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

function callerOf(holder: KeyHolder): Caller {
  return { asker: actorOfKey(holder), key: holder.key }
}
