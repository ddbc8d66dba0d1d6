/** The output of a git process as a stream that fails if the process does. */

import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gitFailure } from './git-failure.ts'
import type { GitChild } from './run.ts'

/** The bytes from `start` to `end`, both included. */
export interface Span {
  start: number
  end: number
}

/** For whole files and archives: a client may be slow, but not forever. */
export const sendingDeadline_ms = 60 * 60 * 1000

/**
 * The output of the process, or a span of it. The stream fails if the process does, so that partial output is never taken for complete
 * output; closing it kills the process. Nothing is buffered.
 */
export function outputOf(child: GitChild, args: string[], span: Span = { start: 0, end: Number.MAX_SAFE_INTEGER }): Readable {
  let at = 0
  let complete = false
  const stream = new Transform({
    transform(chunk: Buffer, _, done) {
      const from = Math.max(span.start - at, 0)
      if (from < chunk.length && !complete) this.push(chunk.subarray(from, span.end + 1 - at))
      at += chunk.length
      if (at > span.end && !complete) {
        complete = true
        this.push(null)
        child.kill()
      }
      done()
    },
  })
  // Readers get the error; without any listener it would end the server.
  stream.on('error', () => {})
  child.stdin.end()
  pipeline(child.stdout, stream, { end: false })
    .then(() => child.finished)
    .then(({ code, stderr }) => {
      if (complete || code === 0) stream.end()
      else stream.destroy(gitFailure(args, code, stderr))
    })
    .catch((error) => complete || stream.destroy(error))
  stream.once('close', () => child.kill())
  return stream
}

/** Waits for the first byte: if the process fails before it, this throws while a status can still be sent. */
export async function whenStarted(stream: Readable): Promise<Readable> {
  await new Promise<void>((resolve, reject) => {
    stream.once('readable', resolve)
    stream.once('error', reject)
  })
  return stream
}

/** The non-empty lines of an output that is held in memory. */
export function lines(output: Buffer): string[] {
  return output
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
}
