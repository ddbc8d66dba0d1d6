/** Starts programs of this process by a fork server, which is itself started with the first program, and restarted if it has died. */
import { randomBytes } from 'node:crypto'
import { launchServer, type Message, type ServerProcess } from './fork-server-process.ts'
import { type Ending, failedStart, type ProgramOptions, type StartProgram, signalGroup } from './program.ts'
import { StreamSocket } from './stream-socket.ts'

interface Entry {
  id: number
  file: string
  args: string[]
  options: ProgramOptions
  sockets: StreamSocket[]
  state: 'waiting' | 'opening' | 'running'
  pid?: number
  /** A signal that was requested before the process id was known. */
  wanted?: NodeJS.Signals
  /** How the program ended, or why that will never be known. */
  outcome?: Ending | Error
  resolve: (ending: Ending) => void
  reject: (error: Error) => void
}

/** Limit of connections that wait to be accepted: the shortest queue of any system is 128. */
const maxUnaccepted = 96
const patience_ms = 2_000

class ForkServer {
  readonly #secret = randomBytes(16)
  readonly #entries = new Map<number, Entry>()
  #waiting: Entry[] = []
  /** Streams of ordered programs that have neither started nor failed yet. */
  #unaccepted = 0
  #server: ServerProcess | null = null
  #last = 0

  /** Process id of the fork server; null if none is running. */
  get pid(): number | null {
    return this.#server?.pid ?? null
  }

  /** The socket on which the fork server listens. */
  get path(): string | null {
    return this.#server?.path ?? null
  }

  /** Resolves once the fork server runs. */
  async ready(): Promise<void> {
    await this.#requireServer().ready
  }

  readonly start: StartProgram = (file, args, options) => {
    this.#last = (this.#last + 1) % 2 ** 32
    const id = this.#last
    const count = 3 + (options.extra_pipes ?? 0)
    const sockets = Array.from({ length: count }, (_, index) => new StreamSocket(this.#header(id, index), index))
    let settlers: Pick<Entry, 'resolve' | 'reject'> | undefined
    const ended = new Promise<Ending>((resolve, reject) => {
      settlers = { resolve, reject }
    })
    ended.catch(() => {})
    const entry: Entry = { id, file, args, options, sockets, state: 'waiting', ...(settlers as Pick<Entry, 'resolve' | 'reject'>) }
    this.#entries.set(id, entry)
    this.#waiting.push(entry)
    for (const socket of sockets.slice(1)) socket.once('close', () => this.#settle(entry))
    this.#serve()
    const [stdin, stdout, stderr, ...pipes] = sockets as [StreamSocket, StreamSocket, StreamSocket, ...StreamSocket[]]
    return { stdin, stdout, stderr, pipes, ended, signal: (name) => this.#signal(entry, name) }
  }

  #requireServer(): ServerProcess {
    this.#server ??= launchServer(this.#secret, {
      onReady: () => {
        this.#server?.keepAlive(this.#entries.size > 0)
        this.#pump()
      },
      onMessage: (message) => this.#hear(message),
      onEnd: (error, wasReady) => {
        this.#server = null
        this.#lose(error, wasReady)
      },
    })
    return this.#server
  }

  /** Orders the waiting programs; starts the fork server first if there is none. */
  #serve(): void {
    try {
      this.#requireServer().keepAlive(true)
      this.#pump()
    } catch (error) {
      for (const entry of [...this.#waiting]) this.#fail(entry, error as Error)
    }
  }

  #pump(): void {
    while (this.#server?.isReady) {
      const next = this.#waiting[0]
      if (!next || (this.#unaccepted > 0 && this.#unaccepted + next.sockets.length > maxUnaccepted)) return
      this.#waiting.shift()
      this.#order(next, this.#server).catch((error: Error) => this.#fail(next, error))
    }
  }

  async #order(entry: Entry, server: ServerProcess): Promise<void> {
    const { id, file, args, sockets, options } = entry
    entry.state = 'opening'
    this.#unaccepted += sockets.length
    const opened = await Promise.allSettled(sockets.map((socket) => socket.open(server.path)))
    const refused = opened.find((result) => result.status === 'rejected')
    if (refused) {
      server.send({ cancel: id })
      throw refused.reason
    }
    const { cwd, env, low_priority = false } = options
    if (this.#entries.has(id)) server.send({ id, file, args, cwd, env, streams: sockets.length, low_priority })
  }

  /** The connections of a program have been accepted, or never will be. */
  #accepted(entry: Entry): void {
    if (entry.state !== 'opening') return
    entry.state = 'running'
    this.#unaccepted -= entry.sockets.length
    this.#pump()
  }

  #hear(message: Message): void {
    const entry = this.#entries.get(message.id)
    if (!entry) return
    if ('error' in message) {
      this.#fail(entry, new Error(message.error))
      this.#server?.send({ cancel: message.id })
    } else if ('pid' in message) {
      entry.pid = message.pid
      if (entry.wanted) signalGroup(entry.pid, entry.wanted)
      this.#accepted(entry)
    } else this.#end(entry, { code: message.code, signal: message.signal })
  }

  /** A stream without a reader is drained, as it would never end otherwise. */
  #end(entry: Entry, outcome: Ending | Error): void {
    entry.outcome = outcome
    entry.sockets[0]?.destroy()
    process.nextTick(() => {
      for (const socket of entry.sockets.slice(1)) if (socket.readable) socket.resume()
    })
    this.#settle(entry)
  }

  #settle(entry: Entry): void {
    const { outcome } = entry
    if (!outcome || !this.#entries.has(entry.id) || entry.sockets.slice(1).some((socket) => !socket.closed)) return
    this.#remove(entry)
    if (outcome instanceof Error) entry.reject(outcome)
    else entry.resolve(outcome)
  }

  #fail(entry: Entry, error: Error): void {
    if (!this.#entries.has(entry.id)) return
    this.#remove(entry)
    this.#waiting = this.#waiting.filter((other) => other !== entry)
    const failure = failedStart(error)
    entry.sockets[1]?.destroy(failure)
    for (const socket of entry.sockets) socket.destroy()
    entry.reject(failure)
    this.#accepted(entry)
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry.id)
    if (this.#entries.size === 0) this.#server?.keepAlive(false)
  }

  #signal(entry: Entry, name: NodeJS.Signals): void {
    if (!this.#entries.has(entry.id)) return
    if (entry.pid !== undefined) signalGroup(entry.pid, name)
    else if (entry.wanted !== 'SIGKILL') entry.wanted = name
  }

  /**
   * The fork server is gone, and can't report how running programs end: they are killed, and fail. Programs it hasn't heard of wait for the
   * next fork server. A program that it started without reporting it loses its streams.
   */
  #lose(cause: Error, wasReady: boolean): void {
    const error = new Error('the process that starts programs has ended', { cause })
    for (const entry of [...this.#entries.values()]) {
      if (entry.state === 'waiting' ? !wasReady : entry.pid === undefined) this.#fail(entry, error)
      else if (entry.state === 'running' && !entry.outcome) {
        this.#signal(entry, 'SIGTERM')
        setTimeout(() => this.#signal(entry, 'SIGKILL'), patience_ms).unref()
        this.#end(entry, error)
      }
    }
    if (this.#waiting.length > 0) this.#serve()
  }

  /** The header that tells the fork server which stream a connection belongs to. */
  #header(id: number, index: number): Buffer {
    const numbers = Buffer.alloc(8)
    numbers.writeUInt32BE(id)
    numbers.writeUInt32BE(index, 4)
    return Buffer.concat([this.#secret, numbers])
  }
}

let shared: ForkServer | undefined

/** The fork server of this process. It ends with the process. */
export function forkServer(): ForkServer {
  shared ??= new ForkServer()
  return shared
}
