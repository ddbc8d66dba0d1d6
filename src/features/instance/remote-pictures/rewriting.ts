/** Rewrites the URLs of images in rendered text, so that browsers load them from this server. */
import { timingSafeEqual } from 'node:crypto'
import type { App } from '../../../app.ts'
import { decode } from '../markdown/markdown.ts'
import { readSettings } from '../settings/settings.ts'

const purpose = 'remote-pictures'
const places = /<a\s[^>]*>|<\/a>|<img((?:\s[\w-]+="[^"]*")*)\s*\/?>/g

/**
 * Pictures of other hosts get an address of ours, or become links if the setting is off. No statement for a text without pictures.
 * @param html as sanitizing leaves it: attributes in quotes, all signs in them written out
 */
export async function withRemotePictures(app: App, html: string): Promise<string> {
  if (!html.includes('<img')) return html
  const isLoaded = (await readSettings(app.db)).asset_proxy_enabled
  let isInLink = false
  return html.replace(places, (whole, attributes: string | undefined) => {
    if (attributes === undefined) {
      isInLink = whole !== '</a>'
      return whole
    }
    const written = /\ssrc="([^"]*)"/.exec(attributes)?.[1] ?? ''
    if (!/^https?:/i.test(written) || written.startsWith(`${app.config.url}/`)) return whole
    if (isLoaded) return whole.replace(` src="${written}"`, () => ` src="${addressFor(app, decode(written))}"`)
    const words = /\salt="([^"]+)"/.exec(attributes)?.[1] ?? written
    return isInLink ? words : `<a href="${written}" rel="nofollow noreferrer noopener">${words}</a>`
  })
}

function addressFor({ secrets }: App, url: string): string {
  return `/-/pictures/${secrets.sign(url, purpose)}/${Buffer.from(url).toString('base64url')}`
}

/** The URL that an address of ours stands for; null if it isn't one. */
export function urlIn({ secrets }: App, signature: string, encoded: string): string | null {
  const url = Buffer.from(encoded, 'base64url').toString()
  const [sent, own] = [signature, secrets.sign(url, purpose)].map((text) => Buffer.from(text)) as [Buffer, Buffer]
  return sent.length === own.length && timingSafeEqual(sent, own) ? url : null
}
