/** A browser without scripts: it keeps cookies, and submits forms of pages. */
import type { FastifyInstance } from 'fastify'

export interface Shown {
  status: number
  text: string
  headers: Record<string, string | string[] | undefined>
  /** The last redirect, if any. */
  location: string | undefined
}

export interface Browser {
  cookies: Map<string, string>
  /** The cookies that the last answer set, with their attributes. */
  setCookies: string[]
  get: (path: string, headers?: Record<string, string>) => Promise<Shown>
  /** Opens the page and submits its form whose target is `action`, with these fields besides its hidden ones. */
  submit: (page: string, action: string, fields?: Record<string, string>) => Promise<Shown>
  post: (path: string, fields: Record<string, string>, headers?: Record<string, string>) => Promise<Shown>
}

export function browserOf(server: FastifyInstance): Browser {
  const cookies = new Map<string, string>()
  const ask = async (method: 'GET' | 'POST', url: string, payload?: string, headers: Record<string, string> = {}): Promise<Shown> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const form = payload !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await server.inject({
      method,
      url,
      headers: { ...(cookie && { cookie }), ...form, ...headers },
      ...(payload !== undefined && { payload }),
    })
    browser.setCookies = [answer.headers['set-cookie'] ?? []].flat()
    for (const line of browser.setCookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0/.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = answer.headers.location as string | undefined
    return { status: answer.statusCode, text: answer.payload, headers: answer.headers as Shown['headers'], location }
  }
  const post: Browser['post'] = (path, fields, headers) => ask('POST', path, new URLSearchParams(fields).toString(), headers)
  const browser: Browser = {
    cookies,
    setCookies: [],
    get: (path, headers) => ask('GET', path, undefined, headers),
    post,
    async submit(page, action, fields = {}) {
      const { text, status, headers } = await ask('GET', page)
      const form = new RegExp(`<form\\b[^>]* action="${action}"[^>]*>(.*?)</form>`, 's').exec(text)?.[1]
      if (form === undefined) throw new Error(`${page} has no form for ${action}: ${status} ${text}`)
      const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name = '', value = '']) => [
        name,
        unescaped(value),
      ])
      // As in the Fetch standard: with this policy, a form doesn't reveal where it is from.
      const origin = headers['referrer-policy'] === 'no-referrer' ? 'null' : 'http://gitstead.test'
      return post(action, { ...Object.fromEntries(hidden), ...fields }, { host: 'gitstead.test', origin })
    },
  }
  return browser
}

/** The text of an attribute that `html` wrote. */
function unescaped(text: string): string {
  const names: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (name) => names[name] as string)
}
