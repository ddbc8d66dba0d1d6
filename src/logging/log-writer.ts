/** Writes the lines of the log. Lines that can't be written are dropped and counted, and block nobody. */
import { write, writeSync } from 'node:fs'

/** Limit of what waits for a slow reader. */
const maxWaiting_chars = 1024 * 1024
const retry_ms = 50
/** Lines are collected for this long and written together: one write takes as long as answering a request. */
const collecting_ms = 10
const enough_chars = 64 * 1024

interface LineWriter {
  write: (line: string) => void
  /** Called by the logger after a line of level `fatal`, and at process exit. Tries once. */
  flushSync: () => void
}

/**
 * Lines that come within a few milliseconds, or while others are written, are written together in the background. The logging library's own
 * destination isn't used: it ends the process on an error without a listener, and its flush never ends on a full disk.
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
  /** Immediately if many lines wait. While a write is in progress, does nothing: it is called again afterwards. */
  function schedule(): void {
    if (isWriting || waiting.length === 0) return
    if (waiting_chars > enough_chars) writeAll()
    else if (!isCollecting) collect()
  }
  function collect(): void {
    isCollecting = true
    // The timer need not keep the process alive: remaining lines are written at exit.
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

/** Writers with pending lines. Node.js completes writes in progress at process exit. */
const unwritten = new Set<LineWriter>()
process.on('exit', () => {
  for (const writer of unwritten) writer.flushSync()
})
