/** The trace of a job in a file: masked, limited in size, and read for each request that sends a part. */
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { openMasker } from './masker.ts'

export interface Trace {
  write(chunk: Buffer | string): void
  /** Writes what the masker held back. Nothing can be written afterwards. */
  end(): void
  /** At most `max_bytes` from an offset; may be less if less is written. */
  read(offset: number, max_bytes: number): Buffer
  size(): number
  /** In the format of the protocol: `crc32:` and eight hexadecimal digits. */
  checksum(): string
  remove(): void
}

export interface TraceOptions {
  secrets: string[]
  max_bytes: number
  /** Gets what is written, masked and limited. */
  onOutput?: ((bytes: Buffer) => void) | undefined
}

/** @param file a path where nothing exists yet */
export function openTrace(file: string, { secrets, max_bytes, onOutput }: TraceOptions): Trace {
  const handle = openSync(file, 'wx+', 0o600)
  const masker = openMasker(secrets)
  let size = 0
  let sum = 0
  let isFull = false
  const append = (bytes: Buffer) => {
    writeSync(handle, bytes)
    onOutput?.(bytes)
    size += bytes.length
    sum = crc32(bytes, sum)
  }
  const add = (bytes: Buffer) => {
    if (isFull || bytes.length === 0) return
    append(bytes.subarray(0, max_bytes - size))
    if (size < max_bytes) return
    isFull = true
    append(Buffer.from(`\n\x1b[33;1mThe log is longer than ${max_bytes} bytes. The job goes on, its output is no longer kept.\x1b[0;m\n`))
  }
  return {
    write: (chunk) => add(masker.add(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)),
    end: () => add(masker.end()),
    read(offset, length) {
      const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - offset)))
      return bytes.subarray(0, bytes.length === 0 ? 0 : readSync(handle, bytes, 0, bytes.length, offset))
    },
    size: () => size,
    checksum: () => `crc32:${sum.toString(16).padStart(8, '0')}`,
    remove() {
      closeSync(handle)
      rmSync(file, { force: true })
    },
  }
}
