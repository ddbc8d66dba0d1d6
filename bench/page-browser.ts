/** Pages as Chromium loads them over a slow line: what comes over the wire, when the largest thing is painted, and what blocks. */
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core'
import { findChromium } from '../tools/chromium.mjs'

/** 1.6 Mbit/s, 150 ms, and a processor of a quarter of the speed. */
const slowLine = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 1_600_000 / 8 }
const slowness = 4

export interface Loaded {
  /** The largest paint, in milliseconds from the start of the navigation. */
  largest_ms: number
  /** The sum of layout shifts. */
  shift: number
  /** Sum of the time beyond 50 ms of each long task. */
  blocking_ms: number
  /** Without pictures of users. */
  requests: number
  /** Bytes of scripts over the wire. */
  script_bytes: number
  consoleErrors: string[]
}

/** Chromium without a window; null where there is none. */
export async function openChromium(): Promise<Browser | null> {
  const executablePath = findChromium()
  return executablePath === null ? null : chromium.launch({ executablePath, args: ['--disable-gpu'] })
}

const observers = `(() => {
  const seen = { largest_ms: 0, shift: 0, blocking_ms: 0 }
  globalThis.__seen = seen
  const observe = (type, note) => new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true })
  observe('largest-contentful-paint', ({ startTime }) => { seen.largest_ms = startTime })
  observe('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) seen.shift += value })
  observe('longtask', ({ duration }) => { seen.blocking_ms += Math.max(0, duration - 50) })
})()`

export interface LoadOptions {
  /** Whether line and processor are slow. */
  slow?: boolean
  /** Loads it twice and looks at the second time, with what the browser has kept. */
  warm?: boolean
}

/** Loads a page as a desktop with nothing kept, signed in by the cookie. */
export async function load(
  browser: Browser,
  url: string,
  cookie: string,
  { slow = false, warm = false }: LoadOptions = {},
): Promise<Loaded> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  try {
    await addCookies(context, url, cookie)
    await context.addInitScript(observers)
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    if (warm) await settle(page, url)
    if (slow) {
      await session.send('Network.emulateNetworkConditions', slowLine)
      await session.send('Emulation.setCPUThrottlingRate', { rate: slowness })
    }
    const wire = watchWire(session)
    const consoleErrors: string[] = []
    page.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
    page.on('pageerror', (error) => consoleErrors.push(error.message))
    await settle(page, url)
    const seen = (await page.evaluate('globalThis.__seen')) as Pick<Loaded, 'largest_ms' | 'shift' | 'blocking_ms'>
    return { ...seen, ...wire(), consoleErrors }
  } finally {
    await context.close()
  }
}

export async function addCookies(context: BrowserContext, url: string, cookie: string): Promise<void> {
  const cookies = cookie
    .split('; ')
    .map((pair) => ({ name: pair.slice(0, pair.indexOf('=')), value: pair.slice(pair.indexOf('=') + 1), url: new URL(url).origin }))
  await context.addCookies(cookies)
}

/** Until nothing has come over the wire for half a second. A stream of live changes never ends, so the line is never idle for good. */
async function settle(page: Page, url: string): Promise<void> {
  const response = await page.goto(url, { waitUntil: 'load', timeout: 120_000 })
  if (!response?.ok()) throw new Error(`${url} was answered with ${response?.status()}`)
  await page.waitForTimeout(1_000)
}

/** Counts what is really fetched from now on. */
function watchWire(session: CDPSession): () => Pick<Loaded, 'requests' | 'script_bytes'> {
  const fetched = new Map<string, { url: string; type: string; isKept: boolean; bytes: number }>()
  session.on('Network.requestWillBeSent', ({ requestId, request, type }) =>
    fetched.set(requestId, { url: request.url, type: type ?? '', isKept: false, bytes: 0 }),
  )
  session.on('Network.requestServedFromCache', ({ requestId }) => keep(requestId))
  session.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.fromDiskCache) keep(requestId)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const one = fetched.get(requestId)
    if (one) one.bytes = encodedDataLength
  })
  const keep = (requestId: string) => {
    const one = fetched.get(requestId)
    if (one) one.isKept = true
  }
  return () => {
    const real = [...fetched.values()].filter(({ url, isKept }) => !isKept && !url.startsWith('data:') && !/\/(avatar|uploads)\//.test(url))
    const scripts = real.filter(({ type }) => type === 'Script')
    // A stream of live changes carries no page.
    return {
      requests: real.filter(({ type }) => type !== 'EventSource').length,
      script_bytes: scripts.reduce((sum, { bytes }) => sum + bytes, 0),
    }
  }
}
