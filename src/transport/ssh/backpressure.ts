/** The bytes of a session: as fast as both sides can, and never more of them in memory than a few packets. */
import type { Socket } from 'node:net'
import { Transform, Writable } from 'node:stream'
import type { ServerChannel } from 'ssh2'

/** What may wait for one client in the buffers of its connection. */
const maxWaiting_bytes = 1024 * 1024
const lookAgain_ms = 20

/** What the client sends. `onBytes` hears of every piece. */
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
 * What goes to the client. The library writes to the socket whatever the client's window admits, read or not, and a window may
 * be four gigabytes: so the source waits here until the socket has let go of what it has. While keys are exchanged anew the
 * library keeps packets back, out of the socket's sight: hence what has been written is held against what has really gone.
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
      // The library makes three small writes of a packet, and several packets of a chunk: they go as one.
      socket.cork()
      channel.write(chunk)
      process.nextTick(() => socket.uncork())
      whenThereIsRoom(done)
    },
  })
}
