/**
 * A separate process that starts programs for the server. `fork` copies the page tables of the calling process: that takes 2 to 28 ms in
 * the server, and almost nothing here. It imports nothing of the server. The standard streams of a program are sockets that the server
 * opened to this process, each announced by a header; bytes after the header are left for the program.
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

/** A program to start; its streams are connected and have sent their headers. */
interface Order {
  id: number
  file: string
  args: string[]
  cwd: string
  env: Record<string, string>
  streams: number
  low_priority: boolean
}

/** The server has closed the streams of a program that doesn't run. */
interface Cancellation {
  cancel: number
}

/** Layout of a header: the secret, the number of the program, the number of the stream. */
const secret_bytes = 16
const header_bytes = secret_bytes + 8

/** Announced streams are already in the queue of the kernel; they come later only if file descriptors run out. */
const patience_ms = 5_000

let secret = Buffer.alloc(0)
/** Connections whose header hasn't been read yet. */
const unknown = new Set<Socket>()
/** Streams, keyed by program. */
const streams = new Map<number, Socket[]>()
const orders = new Map<number, { order: Order; timer: NodeJS.Timeout }>()

/** The handle of a stream; Node.js has no public name for it. */
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

/** Number of bytes read; null if none have arrived yet. The header is complete, since it was written by one call. */
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
    // Streams of a failed start are closed only when the server cancels them; otherwise it might take their end for the end of the output.
    if (start(order, found)) dropStreams(id)
  }
}

function dropStreams(id: number): void {
  for (const socket of streams.get(id) ?? []) socket?.destroy()
  streams.delete(id)
}

/** Returns whether the program runs. If not, the server is told. */
function start({ id, file, args, cwd, env, low_priority }: Order, stdio: Socket[]): boolean {
  // The connection is non-blocking, but the program expects blocking streams like pipes.
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

/** Programs that it starts inherit the priority. */
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
    // Usually the header has not arrived yet, and is read when the program is ordered.
    if (orders.size > 0) startComplete()
  })
  listener.listen({ path, backlog: 4_096 }, () => tell({ ready: true }))
  // The server is gone. Running programs continue as far as they can without a peer at their streams.
  process.once('disconnect', () => {
    rmSync(dirname(path), { recursive: true, force: true })
    process.exit()
  })
}

// Sent to the whole process group, for example by Ctrl-C. A stopping server lets running programs finish; this process ends with it.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {})

process.on('message', (message: Opening | Order | Cancellation) => {
  if ('secret' in message) open(message)
  else if ('cancel' in message) cancel(message)
  else take(message)
})
