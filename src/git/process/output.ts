/** What a git process writes, handed on as a stream that ends well only if the process does. */
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type GitChild, gitFailure } from './run.ts'

/** The bytes from `start` to `end`, both included. */
export interface Span {
  start: number
  end: number
}

/** For whole files and archives: a client may be slow, but not for ever. */
export const sendingDeadline_ms = 60 * 60 * 1000

/**
 * The output of the process, or a span of it, cut while it passes. The stream fails when the process does, so that nobody
 * takes half of something for the whole; whoever closes it ends the process. Nothing is held but what is on its way.
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
  // Whoever reads it hears of its failure; before somebody does, that is no reason to bring the server down.
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

/** Waits for the first byte: a process that fails before it throws its failure here, where it can still be told by a status. */
export async function begun(stream: Readable): Promise<Readable> {
  await new Promise<void>((resolve, reject) => {
    stream.once('readable', resolve)
    stream.once('error', reject)
  })
  return stream
}

/** The lines of an output that is held whole; empty ones are left out. */
export function lines(output: Buffer): string[] {
  return output
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
}
