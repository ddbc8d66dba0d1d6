/**
 * A process of its own that starts programs for the server. `fork` copies the page tables of the process that calls it: 2 to 28 ms for
 * a server, next to nothing for this. It imports nothing of the server. The standard streams of a program are sockets that the server
 * opened to it, each announced by a header; not a byte behind the header is read here.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { constants, setPriority } from 'node:os'
import { dirname } from 'node:path'

/** The first message: where to listen, and the secret that begins each header, in hexadecimal. */
interface Opening {
  path: string
  secret: string
}

/** A program to start; its streams have been opened and have sent their headers. */
interface Order {
  id: number
  file: string
  args: string[]
  cwd: string
  env: Record<string, string>
  streams: number
  low_priority: boolean
}

/** The server has given up the streams of a program that doesn't run. */
interface Cancellation {
  cancel: number
}

/** The secret, the number of the program, the number of the stream. */
const secret_bytes = 16
const header_bytes = secret_bytes + 8

/** Streams that have been announced are in the queue of the kernel; they don't come later unless no file descriptor is left. */
const patience_ms = 5_000

let secret = Buffer.alloc(0)
/** Connections whose header hasn't been read yet. */
const unknown = new Set<Socket>()
/** Streams by program. */
const streams = new Map<number, Socket[]>()
const orders = new Map<number, { order: Order; timer: NodeJS.Timeout }>()

/** Handles of streams; Node.js has no name for these in its interface. */
const handleOf = (socket: Socket) => (socket as unknown as { _handle: { fd: number; setBlocking: (on: boolean) => void } | null })._handle

function tell(message: object): void {
  if (process.connected) process.send?.(message)
}

/** Reads the headers that have arrived. */
function identify(): void {
  for (const socket of unknown) {
    const header = Buffer.alloc(header_bytes)
    const length = readHeader(socket, header)
    if (length === null) continue
    unknown.delete(socket)
    if (length < header_bytes || !header.subarray(0, secret_bytes).equals(secret)) {
      socket.destroy()
      continue
    }
    const id = header.readUInt32BE(secret_bytes)
    const known = streams.get(id) ?? []
    known[header.readUInt32BE(secret_bytes + 4)] = socket
    streams.set(id, known)
  }
}

/** How many bytes were read; null where none has come yet. The header was written by one call, so it is whole. */
function readHeader(socket: Socket, header: Buffer): number | null {
  try {
    return readSync(handleOf(socket)?.fd ?? -1, header, 0, header.length, null)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? null : 0
  }
}

function startComplete(): void {
  identify()
  for (const [id, { order, timer }] of orders) {
    const found = streams.get(id)
    if (!found || Object.keys(found).length < order.streams) continue
    clearTimeout(timer)
    orders.delete(id)
    // Streams of a failed start end when the server cancels them: otherwise it might take their end for that of the output.
    if (start(order, found)) dropStreams(id)
  }
}

function dropStreams(id: number): void {
  for (const socket of streams.get(id) ?? []) socket?.destroy()
  streams.delete(id)
}

/** Whether it runs. If not, the server hears of it. */
function start({ id, file, args, cwd, env, low_priority }: Order, stdio: Socket[]): boolean {
  // The connection is non-blocking for both ends' sake; the program expects what a pipe would be.
  for (const socket of stdio) handleOf(socket)?.setBlocking(true)
  let child: ChildProcess
  try {
    child = spawn(file, args, { cwd, env, stdio, detached: true })
  } catch (error) {
    tell({ id, error: String(error) })
    return false
  }
  child.once('error', (error) => tell({ id, error: error.message }))
  child.once('exit', (code, signal) => tell({ id, code, signal }))
  if (child.pid === undefined) return false
  if (low_priority) lower(child.pid)
  tell({ id, pid: child.pid })
  return true
}

function cancel({ cancel: id }: Cancellation): void {
  identify()
  dropStreams(id)
}

/** Programs that it starts inherit this. */
function lower(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It has ended already, or the system has no priorities.
  }
}

function take(order: Order): void {
  const timer = setTimeout(() => {
    orders.delete(order.id)
    tell({ id: order.id, error: 'not all streams arrived' })
  }, patience_ms)
  orders.set(order.id, { order, timer })
  startComplete()
}

function open({ path, secret: text }: Opening): void {
  secret = Buffer.from(text, 'hex')
  const listener = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    unknown.add(socket)
    // Usually its header is still to come, and read once the program is ordered.
    if (orders.size > 0) startComplete()
  })
  listener.listen({ path, backlog: 4_096 }, () => tell({ ready: true }))
  // The server is gone. What it started goes on as far as it can without anybody at its streams.
  process.once('disconnect', () => {
    rmSync(dirname(path), { recursive: true, force: true })
    process.exit()
  })
}

// Sent to a whole group, as by Ctrl-C. A server that stops lets running programs end; this process ends with it.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {})

process.on('message', (message: Opening | Order | Cancellation) => {
  if ('secret' in message) open(message)
  else if ('cancel' in message) cancel(message)
  else take(message)
})
