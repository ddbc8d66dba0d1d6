/** Parses the request of `git archive --remote`, so that tree entries can be counted before git lists them. */
import type { Readable } from 'node:stream'
import { Failure } from '../../failure.ts'
import { clientGone } from '../process/run.ts'

export interface ArchiveRequest {
  /** The request as it arrived. */
  body: Buffer
  /** Arguments that may name the tree; git decides which of them does. All others are paths or options. */
  names: string[]
}

/** Git accepts 64 arguments. */
const maxArguments = 64
const maxRequest_bytes = 256 * 1024

/** Reads up to the end of the request, not of the stream. Throws 400 if it is truncated or malformed; `signal` ends the wait. */
export async function readArchiveRequest(input: Readable, signal?: AbortSignal): Promise<ArchiveRequest> {
  let body: Buffer = Buffer.alloc(0)
  const leave = () => input.destroy(clientGone())
  if (signal?.aborted) throw clientGone()
  signal?.addEventListener('abort', leave, { once: true })
  try {
    for await (const chunk of input.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      body = Buffer.concat([body, chunk])
      const found = argumentsIn(body)
      if (found) return { body, names: found.flatMap(namesOf) }
      if (body.length > maxRequest_bytes) break
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('invalid', 'The request did not arrive whole.', { cause })
  } finally {
    signal?.removeEventListener('abort', leave)
  }
  throw new Failure('invalid', 'The request is not a complete one of git archive.')
}

/** The arguments up to the flush packet; null if that has not arrived. Throws for malformed packets. */
export function argumentsIn(body: Buffer): string[] | null {
  const found: string[] = []
  for (let at = 0; at + 4 <= body.length; ) {
    const digits = body.toString('latin1', at, at + 4)
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1
    if (length === 0) return found
    if (length > 4 && at + length > body.length) return null
    const [, value] = /^argument ([^\n]*)\n?$/.exec(body.toString('utf8', at + 4, at + length)) ?? []
    if (value === undefined || found.push(value) > maxArguments) throw new Failure('invalid', 'The request is not one of git archive.')
    at += length
  }
  return null
}

/** The names that an argument may mean: after `--`, one that looks like an option is a branch or a tag. */
function namesOf(argument: string): string[] {
  return argument.startsWith('-') ? [`refs/heads/${argument}`, `refs/tags/${argument}`] : [argument]
}
