/** A standard stream of a program that another process starts: a socket that can be written to and ended before it is connected. */
import { Socket } from 'node:net'
import { failedStart } from './program.ts'

export class StreamSocket extends Socket {
  readonly #header: Buffer
  readonly #isAnnounced: Promise<boolean>

  /**
   * @param header sent before everything else
   * @param index of the stream; the first one, stdin, is never read from
   */
  constructor(header: Buffer, index: number) {
    super({ readable: index > 0, writable: true })
    this.#header = header
    // Writes wait for the connection, as they do between `connect` and its success.
    Object.assign(this, { connecting: true })
    this.on('error', () => {})
    this.#isAnnounced = new Promise((resolve) => this.write(header, (error) => resolve(!error)))
  }

  /** Resolves when the header is sent, so that the other process finds it. */
  async open(path: string): Promise<void> {
    if (!this.destroyed) this.#connectTo(path)
    if (await this.#isAnnounced) return
    // The stream was destroyed before it was opened. The program still gets a stream, without a peer.
    await new Promise<void>((resolve, reject) => {
      const substitute = new Socket({ readable: false, writable: true })
      substitute.once('error', reject)
      substitute.connect({ path })
      substitute.write(this.#header, (error) => {
        if (!error) resolve()
        substitute.destroy()
      })
    })
  }

  /** `connect` treats the socket as new and forgets that it was ended before; the program would wait for input forever. */
  #connectTo(path: string): void {
    const wasEnded = this.writableEnded
    this.connect({ path })
    if (wasEnded && !this.writableEnded) this.end()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const isRefused = error !== null && (error as NodeJS.ErrnoException).syscall === 'connect'
    super._destroy(isRefused ? failedStart(error) : error, callback)
  }
}
