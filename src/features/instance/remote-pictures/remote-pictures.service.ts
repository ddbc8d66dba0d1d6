/** Loads pictures of other hosts: through the guard for URLs of users, without cookies, of bounded size, and only what is a picture. */
import { LRUCache } from 'lru-cache'
import type { App } from '../../../app.ts'
import { Failure, notFound } from '../../../failure.ts'
import { createFairQueue } from '../../../limits/fair-queue.ts'
import { openDownload } from '../../../outgoing/download.ts'
import { readTarget } from '../../../outgoing/ssrf-guard.ts'
import { parseUrl } from '../../../text/parse-url.ts'
import { imageHeaderOf } from '../images.ts'
import { readSettings } from '../settings/settings.ts'
import { locateTarget, targetRules } from '../targets.ts'
import { urlIn } from './rewriting.ts'

export interface RemotePicture {
  type: string
  bytes: Buffer
}

const mediaTypes: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  // A page that shows it as a picture runs none of its scripts; whoever opens it by itself gets it in a sandbox.
  svg: 'image/svg+xml',
}
const maxPicture_bytes = 5 * 1024 * 1024
const maxSide_pixels = 20_000
const deadline_ms = 10_000
/** One at a time from each host, so that a slow one delays no other. */
const queue = createFairQueue({ slots: 6, maxWaiting: 50, maxWaitingInAll: 200 })

const kept_ms = 60 * 60_000
const keptFailure_ms = 60_000

/** Bounded in memory; browsers keep theirs for a day. Null is a picture that couldn't be loaded. */
const kept = new LRUCache<string, { picture: RemotePicture | null }>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: ({ picture }, url) => 200 + 2 * url.length + (picture?.bytes.length ?? 0),
})
const loading = new Map<string, Promise<RemotePicture | null>>()

/** Throws `not_found` for what is not an address of ours or not a picture, and `busy` if too many are being loaded. */
export async function readRemotePicture(app: App, signature: string, encoded: string): Promise<RemotePicture> {
  const url = urlIn(app, signature, encoded)
  if (url === null || !(await readSettings(app.db)).asset_proxy_enabled) throw notFound('Picture')
  const known = kept.get(url)
  const picture = known ? known.picture : await loadOnce(app, url)
  if (!picture) throw notFound('Picture')
  return picture
}

function loadOnce(app: App, url: string): Promise<RemotePicture | null> {
  const running = loading.get(url)
  if (running) return running
  const host = parseUrl(url)?.host
  // A text may have anything for the address of a picture.
  if (host === undefined) return Promise.resolve(null)
  const started = queue.run(host, () => loadAndKeep(app, url)).finally(() => loading.delete(url))
  loading.set(url, started)
  return started
}

async function loadAndKeep(app: App, url: string): Promise<RemotePicture | null> {
  const picture = await load(app, url).catch((error: unknown) => {
    if (error instanceof Failure) return null
    throw error
  })
  kept.set(url, { picture }, { ttl: picture ? kept_ms : keptFailure_ms })
  return picture
}

async function load(app: App, url: string): Promise<RemotePicture | null> {
  const locate = async (written: string) => locateTarget(app, readTarget(written, await targetRules(app)))
  const signal = AbortSignal.timeout(deadline_ms)
  const answer = await openDownload(await locate(url), { headers: { accept: 'image/*' }, deadline_ms, signal, follow: locate })
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxPicture_bytes) return null
      chunks.push(chunk)
    }
  } catch (cause) {
    throw new Failure('invalid', 'The picture ended too early', { cause })
  } finally {
    answer.destroy()
  }
  const bytes = Buffer.concat(chunks)
  const type = typeOf(bytes)
  return type === null ? null : { type, bytes }
}

function typeOf(bytes: Buffer): string | null {
  const image = imageHeaderOf(bytes)
  return image && Math.max(image.width, image.height) <= maxSide_pixels ? (mediaTypes[image.kind] ?? null) : null
}
