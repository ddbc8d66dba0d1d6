/** Parses fetch requests far enough to recognize clones, whose answers can be cached. */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { Failure } from '../../failure.ts'
import { command } from '../process/command.ts'
import { type Repo, run } from '../repository/repository.ts'

export interface FetchRequest {
  body: Buffer
  /** The rest of the input after `body`, for requests too long to be read completely before git starts. */
  rest: Readable | null
}

/** A request that many clients may send identically: for these objects, by a client that has no commits. */
export interface Clone {
  /** Differs whenever git's answer may differ, except for `includesTags`. */
  digest: string
  /** Whether the answer includes tags of the requested commits, and so depends on which tags exist. */
  includesTags: boolean
}

/** Enough for 80,000 refs: a want is 50 bytes. */
const maxRead_bytes = 4 * 1024 * 1024

/** Throws 400 if the body is truncated, and any error of the body itself. */
export async function readRequest(input: Readable): Promise<FetchRequest> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of input.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > maxRead_bytes) return { body: Buffer.concat(chunks, size), rest: input }
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('invalid', 'The request did not arrive whole.', { cause })
  }
  return { body: Buffer.concat(chunks, size), rest: null }
}

/**
 * Null for everything but a clone: for a client that has commits, is still negotiating, or sends anything that is not listed here.
 * `protocol` is the value of GIT_PROTOCOL.
 */
export function parseClone(body: Buffer, protocol: string | undefined): Clone | null {
  const lines = packetLines(body)
  if (!lines) return null
  if (protocol === 'version=2') return cloneOf(lines, isLineOfV2, 'done|flush')
  if (protocol === undefined) return cloneOf(lines, isLineOfV0, 'flush|done')
  return null
}

const isLineOfV2 =
  /^(?:command=fetch|object-format=sha1|delimiter|thin-pack|no-progress|include-tag|ofs-delta|deepen \d{1,9}|deepen-since \d{1,12}|filter [\w:=./+%-]{1,200}|want [0-9a-f]{40}|done|flush)$/
/** The capabilities of `deepen` and `filter` only permit lines that are not in this list. */
const capability =
  '(?:multi_ack(?:_detailed)?|no-done|side-band(?:-64k)?|thin-pack|no-progress|include-tag|ofs-delta|deepen-since|deepen-not|filter|object-format=sha1)'
const isLineOfV0 = new RegExp(`^(?:want [0-9a-f]{40}(?: ${capability})*|flush|done)$`)

/** Capabilities that identify the client don't change the answer. */
const ofTheClient = /(?:^| )(?:agent|session-id)=\S*/g

function cloneOf(lines: string[], allowed: RegExp, end: string): Clone | null {
  const relevant = lines.map((line) => line.replace(ofTheClient, '')).filter((line) => line !== '')
  const complete = relevant.slice(-2).join('|') === end && relevant.filter((line) => line === 'done' || line === 'flush').length === 2
  if (!complete || !relevant.every((line) => allowed.test(line)) || !relevant.some((line) => line.startsWith('want '))) return null
  return {
    digest: createHash('sha256').update(relevant.join('\n')).digest('hex'),
    includesTags: relevant.some((line) => / ?include-tag( |$)/.test(line)),
  }
}

/** The key of git's answer in the clone cache. */
export async function cloneKey(repo: Repo, { digest, includesTags }: Clone): Promise<string> {
  if (!includesTags) return digest
  const tags = await run(repo, command`for-each-ref --format=${'%(objectname) %(refname)'} refs/tags`)
  return createHash('sha256').update(digest).update(tags).digest('hex')
}

/** Splits a request into lines without newlines; null if it doesn't consist of lines. */
function packetLines(body: Buffer): string[] | null {
  const lines: string[] = []
  for (let at = 0; at < body.length; ) {
    const digits = body.toString('latin1', at, at + 4)
    if (!/^[0-9a-f]{4}$/i.test(digits)) return null
    const length = Number.parseInt(digits, 16)
    if (length === 0 || length === 1) lines.push(length === 0 ? 'flush' : 'delimiter')
    else if (length <= 4 || at + length > body.length) return null
    else lines.push(body.toString('latin1', at + 4, at + length).replace(/\n$/, ''))
    at += Math.max(length, 4)
  }
  return lines
}
