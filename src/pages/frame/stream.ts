/** Pages that are sent in parts, each as soon as it is ready. */
import { pipeline, Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { Failure } from '../../failure.ts'
import { type Html, html } from '../../html/html.ts'
import { keepingLanguage } from '../../html/language.ts'
import { type Encoding, packer } from './compress.ts'

export type Parts = AsyncIterable<Html>

/** Parts of which the first one is ready. A failure before it gives an error page with its status. */
export interface StartedParts {
  first: Html | null
  rest: AsyncIterator<Html>
}

export async function startParts(parts: Parts): Promise<StartedParts> {
  const rest = keepingLanguage(parts)
  const { value, done } = await rest.next()
  return { first: done ? null : value, rest }
}

/** The page as a stream: when the client leaves, the work on further parts ends at its next `yield`, or with its git command. */
export function streamOf(
  request: FastifyRequest,
  { first, rest }: StartedParts,
  frame: { before: string; after: string },
  encoding: Encoding | null,
): Readable {
  const source = Readable.from(textsOf(request, { first, rest }, { ...frame, failure: failed(request.id).text }), {
    objectMode: false,
    highWaterMark: 64 * 1024,
  })
  if (encoding === null) return source
  const packing = packer(encoding)
  // Failures of the pipeline are those of the connection.
  return pipeline(source, packing, () => {})
}

async function* textsOf(
  request: FastifyRequest,
  { first, rest }: StartedParts,
  { before, after, failure }: { before: string; after: string; failure: string },
): AsyncGenerator<string> {
  try {
    yield before + (first?.text ?? '')
    yield* coalesced(rest)
  } catch (error) {
    if (error instanceof Failure && error.code === 'client_gone') return
    request.log.error({ err: error instanceof Failure ? (error.cause ?? error) : error }, 'page: a part failed')
    yield failure
  } finally {
    await rest.return?.()
  }
  yield after
}

/** Parts that are ready in the same turn are sent together: they compress better, in fewer packets. */
async function* coalesced(rest: AsyncIterator<Html>): AsyncGenerator<string> {
  for (let text = '', next = rest.next(); ; ) {
    const ready = text === '' ? await next : await Promise.race([next, nextTurn(null)])
    if (ready === null) {
      yield text
      text = ''
    } else if (ready.done) {
      if (text !== '') yield text
      return
    } else {
      text += ready.value.text
      next = rest.next()
    }
  }
}

/** Within a list or table, browsers would move it in front of that. */
function failed(id: string): Html {
  return html`
    <p class="problems" role="alert">
      The rest of this page could not be loaded. If it happens again, tell your administrator the id of this request:
      <code>${id}</code>
    </p>
  `
}
