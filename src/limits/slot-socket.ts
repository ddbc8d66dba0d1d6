/**
 * Gives slots of the server's limiters over a local socket, so that `gitstead shell` counts among the streams of the server. Rows in the
 * database would take two writes and heartbeats per clone, and a killed command would free its row late; here a closed connection frees the
 * slot. While no server answers, commands are served and not counted: a restart must not fail pushes.
 */
import { rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { type ConcurrencyLimiter, isRefusal, type Refusal, type Release } from './concurrency.ts'

/** One line of JSON. The answer is a line, too: `granted`, or the limit that was reached. Closing the connection frees the slot. */
interface SlotRequest {
  limiter: string
  key: string
}

/** Longer socket paths are not supported; some systems cut them off without an error. */
const longestPath_bytes = 103
const longestRequest = 1_000
const patience_ms = 5_000
const retry_ms = 5_000

export interface SlotServer {
  /** Closes the connections that hold slots; their clients continue, and request a slot again. */
  close: () => Promise<void>
}

/**
 * Gives slots of these limiters to programs of the same account. Several processes of a server may listen at one path. Throws if the path
 * is too long, or another server listens there.
 */
export async function serveSlots(path: string, limiters: Record<string, ConcurrencyLimiter>): Promise<SlotServer> {
  if (Buffer.byteLength(path) > longestPath_bytes) throw new Error(`a path of more than ${longestPath_bytes} bytes can't be a socket`)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    void answer(socket, limiters)
  })
  await listen(server, path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' || (await isAnswered(path))) throw error
    // A killed server leaves the file behind.
    await rm(path, { force: true })
    await listen(server, path)
  })
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      // Connections that could not be accepted: their clients continue without a slot.
      server.on('error', () => {})
      resolve()
    })
  })
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

async function answer(socket: Socket, limiters: Record<string, ConcurrencyLimiter>): Promise<void> {
  const line = await firstLine(socket)
  const request = line === null ? null : readRequest(line)
  const limiter = request && Object.hasOwn(limiters, request.limiter) ? limiters[request.limiter] : undefined
  if (!request || !limiter) return void socket.destroy()
  const slot = await limiter.acquire(request.key)
  if (isRefusal(slot)) return void socket.end(`${slot}\n`)
  socket.once('close', slot)
  if (socket.destroyed) return slot()
  socket.write('granted\n')
}

function readRequest(line: string): SlotRequest | null {
  try {
    const { limiter, key } = JSON.parse(line) as Partial<SlotRequest>
    return typeof limiter === 'string' && typeof key === 'string' ? { limiter, key } : null
  } catch {
    return null
  }
}

/** Null if the other side closes earlier, sends too much, or takes too long. */
function firstLine(socket: Socket): Promise<string | null> {
  return new Promise((resolve) => {
    let text = ''
    const late = setTimeout(() => resolve(null), patience_ms)
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (text.includes('\n') || text.length > longestRequest) resolve(text.includes('\n') ? (text.split('\n', 1)[0] as string) : null)
    })
    socket.once('close', () => {
      clearTimeout(late)
      resolve(null)
    })
  })
}

/**
 * The limiter of this name in the server that listens at `path`. While no server answers, nothing is counted and nobody is refused; the
 * slot is requested again every few seconds, as after a restart of the server, until it is released.
 */
export function limiterAt(path: string, limiter: string): ConcurrencyLimiter {
  return {
    async acquire(key) {
      const found = await requestSlot(path, { limiter, key })
      return typeof found === 'string' ? found : holdSlot(found, () => requestSlot(path, { limiter, key }))
    },
  }
}

/** The connection that holds a slot; null if no server answered. */
async function requestSlot(path: string, request: SlotRequest): Promise<Socket | Refusal | null> {
  const socket = connect(path)
  socket.on('error', () => {})
  socket.write(`${JSON.stringify(request)}\n`)
  const line = await firstLine(socket)
  if (line === 'granted') return socket
  socket.destroy()
  return line === 'key' || line === 'all' ? line : null
}

function holdSlot(first: Socket | null, request: () => Promise<Socket | Refusal | null>): Release {
  let socket = first
  let isHeld = true
  const retry = async () => {
    const found = await request()
    if (found === null || typeof found === 'string') return retryLater()
    if (isHeld) watch(found)
    else found.destroy()
  }
  const retryLater = () => {
    if (isHeld) setTimeout(() => void (isHeld && retry()), retry_ms).unref()
  }
  const watch = (held: Socket) => {
    socket = held
    // A slot doesn't keep the process alive.
    held.unref()
    held.once('close', retryLater)
    if (held.destroyed) retryLater()
  }
  if (first) watch(first)
  else retryLater()
  return () => {
    isHeld = false
    socket?.destroy()
  }
}
