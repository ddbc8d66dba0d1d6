/** The message of an action, shown once on the page it redirects to: kept in a cookie that is signed for this session. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { noticeCookie, shortCookieHeader } from '../../http/caller/cookies.ts'

const lasts_s = 60
const max_chars = 500

export function setNotice({ config }: App, reply: FastifyReply, secret: string, sentence: string): void {
  const text = Buffer.from(sentence.slice(0, max_chars)).toString('base64url')
  void reply.header('set-cookie', shortCookieHeader(noticeCookie, `${text}.${signatureOf(secret, text)}`, lasts_s, config.url))
}

/** The message for this page, which is not shown again; null for none. */
export function takeNotice({ config }: App, request: FastifyRequest, reply: FastifyReply, secret: string): string | null {
  const [, text = '', signature = ''] =
    /(?:^|; ?)_service_notice=([\w-]{1,4000})\.([\w-]{43})(?:;|$)/.exec(request.headers.cookie ?? '') ?? []
  if (text === '') return null
  void reply.header('set-cookie', shortCookieHeader(noticeCookie, '', 0, config.url))
  return timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(secret, text))) ? Buffer.from(text, 'base64url').toString() : null
}

function signatureOf(secret: string, text: string): string {
  return createHmac('sha256', secret).update(`notice ${text}`).digest('base64url')
}
