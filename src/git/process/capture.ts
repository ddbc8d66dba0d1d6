/** Runs a git command and captures its output. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../../failure.ts'
import { failureIn } from './git-failure.ts'
import type { GitChild, RunOptions, Spawn } from './run.ts'

export interface CaptureOptions extends RunOptions {
  /** Standard input of the command: whole, or in pieces as they are consumed. */
  input?: string | Buffer | Iterable<Buffer>
  /** More output than this many bytes is an error. */
  max_bytes?: number
  /** Exit codes that are answers rather than errors. */
  accept?: number[]
}

const defaultDeadline_ms = 30_000
const defaultMax_bytes = 64 * 1024 * 1024

/** Runs a command whose output is small enough to hold in memory. Fails for an exit code that isn't accepted. */
export async function capture(
  start: Spawn,
  args: string[],
  options: CaptureOptions,
): Promise<{ output: Buffer; code: number; stderr: string }> {
  const child = start(args, { deadline_ms: defaultDeadline_ms, ...options })
  feed(child, options.input)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > (options.max_bytes ?? defaultMax_bytes)) {
      const failure = new Failure('too_large', '413 The answer of the repository is too large')
      child.kill(failure)
      throw failure
    }
    chunks.push(chunk)
  }
  const { code, stderr } = await child.finished
  if (code !== 0 && !options.accept?.includes(code)) throw await failureIn(options.dir, args, code, stderr)
  return { output: Buffer.concat(chunks, size), code, stderr }
}

function feed({ stdin }: GitChild, input: CaptureOptions['input']): void {
  if (input === undefined || typeof input === 'string' || Buffer.isBuffer(input)) stdin.end(input)
  // A child that exits before it has read its input gives the reason by its exit code.
  else pipeline(Readable.from(input), stdin).catch(() => {})
}
