/** Streams with a verified size and checksum: they fail at their end if these differ. */
import { createHash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { Failure } from '../failure.ts'

export interface Expected {
  /** In bytes. */
  size: number
  /** In hexadecimal. */
  sha256: string
}

/**
 * Passes `source` on while it is hashed and counted. The stream fails as soon as there are too many bytes, and at the end if the bytes
 * differ or are too few, so a wrong object is never stored. `beforeEnd` is called when everything has arrived and is correct; the stream
 * ends after it, and fails if it fails. The source is never destroyed: if it is a request, its client still gets a reply.
 */
export function withChecksum(source: Readable, { size, sha256 }: Expected, beforeEnd = async () => {}): Readable {
  const hash = createHash('sha256')
  let seen = 0
  const check = new Transform({
    transform(chunk: Buffer, _, done) {
      seen += chunk.length
      if (seen > size) return done(new Failure('invalid', `More than the ${size} bytes that were announced arrived.`))
      hash.update(chunk)
      done(null, chunk)
    },
    flush(done) {
      if (seen < size) return done(new Failure('invalid', `Only ${seen} of ${size} bytes arrived.`))
      if (hash.digest('hex') !== sha256) return done(new Failure('invalid', 'The bytes that arrived have another SHA-256.'))
      beforeEnd().then(() => done(), done)
    },
  })
  // The consumer may add its listener later.
  check.on('error', () => {})
  source.once('error', (error) => check.destroy(isHangUp(error) ? brokenOff(error) : error))
  source.once('close', () => source.readableEnded || check.destroy(brokenOff()))
  if (source.destroyed && !source.readableEnded) return check.destroy(source.errored ?? brokenOff())
  return source.pipe(check)
}

/** Whether the other side closed the connection. */
function isHangUp(error: Error): boolean {
  return (error as { code?: string }).code === 'ECONNRESET'
}

function brokenOff(cause?: Error): Failure {
  return new Failure('invalid', 'The request did not arrive whole.', { cause })
}
