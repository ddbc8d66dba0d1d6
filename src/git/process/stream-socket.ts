/** A standard stream of a program that another process starts: a socket that can be written and ended before it is connected. */
import { Socket } from 'node:net'
import { failedStart } from './program.ts'

export class StreamSocket extends Socket {
  readonly #header: Buffer
  readonly #isAnnounced: Promise<boolean>

  /** @param header sent before everything else @param index of the stream; nothing is read from the first one, stdin */
  constructor(header: Buffer, index: number) {
    super({ readable: index > 0, writable: true })
    this.#header = header
    // Whatever is written waits for the connection, as it does between `connect` and its success.
    Object.assign(this, { connecting: true })
    this.on('error', () => {})
    this.#isAnnounced = new Promise((resolve) => this.write(header, (error) => resolve(!error)))
  }

  /** Resolves when the header is sent, so that the other process finds it. */
  async open(path: string): Promise<void> {
    if (!this.destroyed) this.#connectTo(path)
    if (await this.#isAnnounced) return
    // Its user has given it up, or it failed. The program gets the stream, with nobody at the other end.
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

  /** `connect` takes a socket for a new one: it forgets that it was ended before, and the program would read on for ever. */
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
