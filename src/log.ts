/** The log: JSON lines on standard output or in a file. What can't be written is dropped and counted, and holds up nobody. */
import { mkdirSync, openSync, write, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Logger, pino } from 'pino'

export interface LogOptions {
  level: string
  /** Standard output without it. */
  file?: string | undefined
  /** Called for lines that could not be written: the disk is full, the reader is gone or too slow. */
  onDropped?: (lines: number) => void
}

const redact = ['req.headers', 'token', 'password', 'err.config']

/** Throws where the file can't be opened. */
export function openLog({ level, file, onDropped = () => {} }: LogOptions): Logger {
  if (file !== undefined) mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  return pino({ level, redact }, lineWriter(file === undefined ? 1 : openSync(file, 'a', 0o600), onDropped))
}

/** Lines that wait for a slow reader. */
const maxWaiting_chars = 1024 * 1024
const retry_ms = 50

interface LineWriter {
  write: (line: string) => void
  /** The logger calls it after a line of level `fatal`, the process at its exit. Tries once. */
  flushSync: () => void
}

/**
 * Lines that come while others are written go together, in the background. Not the library's own destination: that one ends the
 * process on an error nobody listens to, and on a full disk a flush of it never ends.
 */
export function lineWriter(fd: number, onDropped: (lines: number) => void): LineWriter {
  let waiting: string[] = []
  let waiting_chars = 0
  let isWriting = false

  function take(): string[] {
    const lines = waiting
    waiting = []
    waiting_chars = 0
    unwritten.delete(writer)
    return lines
  }
  function next(): void {
    const lines = take()
    isWriting = lines.length > 0
    if (isWriting) send(Buffer.from(lines.join('')), lines.length)
  }
  function send(bytes: Buffer, lines: number): void {
    write(fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') return void setTimeout(() => send(bytes, lines), retry_ms).unref()
      if (!error && written < bytes.length) return send(bytes.subarray(written), lines)
      if (error) onDropped(lines)
      next()
    })
  }
  const writer: LineWriter = {
    write(line) {
      if (waiting_chars + line.length > maxWaiting_chars) return onDropped(1)
      waiting.push(line)
      waiting_chars += line.length
      unwritten.add(writer)
      if (!isWriting) next()
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
