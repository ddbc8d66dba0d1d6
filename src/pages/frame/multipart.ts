/**
 * Forms with files. The token that proves where a form comes from is its first part, so nothing further is read of a form from elsewhere.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { enterStream } from '../../http/limits/streams.ts'
import { empty, type Parameters } from '../../http/parameters/parameters.ts'
import { Upload } from '../../http/parameters/upload.ts'
import { largeFieldsOf, withBody } from '../../http/serve/body.ts'
import type { Page } from './declaration.ts'
import { assertToken, formHasExpired, type PageSession } from './session.ts'

/** Limit of a form without files, and of one with files unless its action declares another. */
export const maxForm_bytes = 1024 * 1024

/** How much of a rejected form is read and discarded: browsers show an answer only once they have sent all, or nearly all, of theirs. */
const maxDropped_bytes = 128 * 1024 * 1024

interface Sent {
  request: FastifyRequest
  reply: FastifyReply
  pageSession: PageSession
}

/**
 * Reads the form, then calls `work`, which finds the fields in `request.body`. If the form is too large or incomplete, `refuse` gets the
 * failure instead, with the texts that came before it. Large files are deleted after the work, however it ends.
 */
export async function withForm<T>(
  app: App,
  page: Page,
  { request, reply, pageSession }: Sent,
  { work, refuse }: { work: () => Promise<T>; refuse: (error: unknown) => Promise<T> },
): Promise<T> {
  const large = largeFieldsOf(page.fields, app.store)
  if (large.names.size > 0) await enterStream(app, request, reply, { user: pageSession.session?.user ?? null, direction: 'upload' })
  const max_bytes = (await page.maxFile_bytes?.(app)) ?? page.maxBody_bytes ?? maxForm_bytes
  const seen = empty()
  let isRead = false
  try {
    return await withBody(request, { ...large, max_bytes, inspect: inspectorOf(pageSession.secret, seen) }, (sent) => {
      // A form without any part has no token either.
      if (seen.form_token === undefined) throw formHasExpired()
      isRead = true
      request.body = withoutEmptyFiles(sent)
      return work()
    })
  } catch (error) {
    if (isRead) throw error
    drop(request)
    if (seen.form_token === undefined) throw error
    request.body = seen
    return refuse(error)
  }
}

/** The first part must be the token, and no other may have its name. */
function inspectorOf(secret: string, seen: Parameters): (name: string, text: string | null) => void {
  return (name, text) => {
    const isFirst = seen.form_token === undefined
    if (isFirst !== (name === 'form_token')) throw formHasExpired()
    if (isFirst) assertToken(text ?? '', secret)
    if (text !== null) seen[name] = text
  }
}

/** Browsers send a file field without a selection as a file without a name and content. */
function withoutEmptyFiles(sent: Parameters): Parameters {
  const isEmpty = (value: unknown) => value instanceof Upload && value.filename === '' && value.bytes.length === 0
  const kept = Object.entries(sent).filter(([, value]) => !isEmpty(value))
  return Object.fromEntries(kept.map(([name, value]) => [name, Array.isArray(value) ? value.filter((one) => !isEmpty(one)) : value]))
}

function drop({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return
  let dropped = 0
  raw.unpipe()
  raw.on('data', (chunk: Buffer) => {
    dropped += chunk.length
    if (dropped > maxDropped_bytes) raw.socket.destroy()
  })
  raw.resume()
}
