/** Streams of an SSH session with backpressure: at most a few packets are held in memory. */
import type { Socket } from 'node:net'
import { Transform, Writable } from 'node:stream'
import type { ServerChannel } from 'ssh2'

/** Limit of what is buffered for one client. */
const maxWaiting_bytes = 1024 * 1024
const lookAgain_ms = 20

/** The stream of what the client sends. `onBytes` is called for every chunk. */
export function inputOf(channel: ServerChannel, onBytes: () => void): Transform {
  const input = new Transform({
    highWaterMark: maxWaiting_bytes,
    transform(chunk: Buffer, _, done) {
      onBytes()
      done(null, chunk)
    },
  })
  return channel.pipe(input)
}

/**
 * The stream to the client. The library writes to the socket as much as the client's window admits, read or not, and a window may be four
 * gigabytes, so the source waits here until the socket is drained. During a new key exchange the library holds packets back, hence the
 * comparison of bytes written with bytes that were really sent.
 */
export function outputOf(channel: ServerChannel, socket: Socket, onBytes: () => void): Writable {
  const gone_bytes = () => socket.bytesWritten - socket.writableLength
  const before_bytes = gone_bytes()
  let written_bytes = 0
  const whenThereIsRoom = (then: () => void): void => {
    const again = () => whenThereIsRoom(then)
    if (socket.destroyed) then()
    else if (channel.writableNeedDrain) channel.once('drain', again)
    else if (socket.writableNeedDrain && socket.writableLength > maxWaiting_bytes) socket.once('drain', again)
    else if (written_bytes - (gone_bytes() - before_bytes) > 4 * maxWaiting_bytes) setTimeout(again, lookAgain_ms).unref()
    else then()
  }
  return new Writable({
    highWaterMark: maxWaiting_bytes,
    write(chunk: Buffer, _, done) {
      onBytes()
      written_bytes += chunk.length
      // The library makes three small writes per packet, and several packets per chunk: cork combines them.
      socket.cork()
      channel.write(chunk)
      process.nextTick(() => socket.uncork())
      whenThereIsRoom(done)
    },
  })
}
