/** Bytes that are what they are said to be, or an error at their end. */
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
 * Passes `source` on while it is hashed and counted. The stream fails, before it would end, when the bytes are others or
 * fewer, and as soon as they are more: who stores them never comes to the end of a wrong one.
 */
export function verified(source: Readable, { size, sha256 }: Expected): Readable {
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
      done()
    },
  })
  source.once('error', (error) => check.destroy(error))
  source.once('close', () => source.readableEnded || check.destroy(new Failure('invalid', 'The request did not arrive whole.')))
  return source.pipe(check)
}
