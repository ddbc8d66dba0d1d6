/** Writes the lines of the log: what can't be written is dropped and counted, and holds up nobody. */
import { write, writeSync } from 'node:fs'

/** Lines that wait for a slow reader. */
const maxWaiting_chars = 1024 * 1024
const retry_ms = 50
/** Lines are collected for so long and written together: to write one costs as much as to answer a request. */
const collecting_ms = 10
const enough_chars = 64 * 1024

interface LineWriter {
  write: (line: string) => void
  /** The logger calls it after a line of level `fatal`, the process at its exit. Tries once. */
  flushSync: () => void
}

/**
 * Lines that come within a few milliseconds, or while others are written, go together, in the background. Not the library's own
 * destination: that one ends the process on an error nobody listens to, and on a full disk a flush of it never ends.
 */
export function lineWriter(fd: number, onDropped: (lines: number) => void): LineWriter {
  let waiting: string[] = []
  let waiting_chars = 0
  let isWriting = false
  let isCollecting = false

  function take(): string[] {
    const lines = waiting
    waiting = []
    waiting_chars = 0
    unwritten.delete(writer)
    return lines
  }
  /** At once where many lines wait. While some are being written nothing is to be done: it is called again after them. */
  function schedule(): void {
    if (isWriting || waiting.length === 0) return
    if (waiting_chars > enough_chars) writeAll()
    else if (!isCollecting) collect()
  }
  function collect(): void {
    isCollecting = true
    // Its end need not be waited for: what is left at the exit is written there.
    setTimeout(() => {
      isCollecting = false
      if (!isWriting) writeAll()
    }, collecting_ms).unref()
  }
  function writeAll(): void {
    const lines = take()
    isWriting = lines.length > 0
    if (isWriting) send(Buffer.from(lines.join('')), lines.length)
  }
  function send(bytes: Buffer, lines: number): void {
    write(fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') return void setTimeout(() => send(bytes, lines), retry_ms).unref()
      if (!error && written < bytes.length) return send(bytes.subarray(written), lines)
      if (error) onDropped(lines)
      isWriting = false
      schedule()
    })
  }
  const writer: LineWriter = {
    write(line) {
      if (waiting_chars + line.length > maxWaiting_chars) return onDropped(1)
      waiting.push(line)
      waiting_chars += line.length
      unwritten.add(writer)
      schedule()
    },
    flushSync() {
      const lines = take()
      try {
        if (lines.length > 0) writeSync(fd, lines.join(''))
      } catch {
        onDropped(lines.length)
      }
    },
  }
  return writer
}

/** Those with lines that wait. What is on its way when the process ends is written by node. */
const unwritten = new Set<LineWriter>()
process.on('exit', () => {
  for (const writer of unwritten) writer.flushSync()
})
