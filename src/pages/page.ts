/** The layout of pages, and their security headers. No page has a script. */
import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { Html, html } from './html.ts'

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem;color:#222;background:#fff}
label{display:block;margin:.75rem 0}input{display:block;font:inherit;width:100%;box-sizing:border-box;padding:.4rem}
button{font:inherit;padding:.4rem 1rem;margin:.5rem 0}[role=alert]{border-left:4px solid #b00;padding-left:1rem}
img{max-width:100%}pre{overflow:auto}`

const styleDigest = createHash('sha256').update(style).digest('base64')

export interface Page {
  title: string
  body: Html
  status?: number
  /** Errors of the submitted form. */
  fieldErrors?: readonly string[]
  /** An address whose origin the forms of this page may redirect to, besides this service. */
  leadsTo?: string | null
}

/** Sends a page: not cached, not framed, without scripts. */
export function sendPage(reply: FastifyReply, { title, body, status = 200, fieldErrors = [], leadsTo = null }: Page): FastifyReply {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleDigest}'`,
    "img-src 'self' https: data:",
    `form-action 'self'${leadsTo && URL.canParse(leadsTo) ? ` ${new URL(leadsTo).origin}` : ''}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  void reply.headers({ 'content-security-policy': policy.join('; '), 'cache-control': 'no-store' })
  const errorList = fieldErrors.length > 0 && html`<ul role="alert">${fieldErrors.map((fieldError) => html`<li>${fieldError}</li>`)}</ul>`
  const whole = html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Gitstead</title>
<style>${new Html(style)}</style></head><body><h1>${title}</h1>${errorList}${body}</body></html>
`
  return reply.code(status).type('text/html; charset=utf-8').send(whole.text)
}

/** Redirects by GET. Addresses are encoded for the header. */
export function redirectTo(reply: FastifyReply, address: string): FastifyReply {
  const written = URL.canParse(address) ? new URL(address).href : address
  return reply.header('cache-control', 'no-store').redirect(written, 303)
}
