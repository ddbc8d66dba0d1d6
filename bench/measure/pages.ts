/** The budgets of pages: bytes, requests, processor time, memory, and how they load in Chromium over a slow line. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import autocannon from 'autocannon'
import type { Browser } from 'playwright-core'
import { axeOf } from '../../test/browser/axe.ts'
import { type MeasuredForge, signIn, startPageForge } from '../data/page-fixture.ts'
import type { StaticPage } from '../limits/static-pages.ts'
import { addCookies, type Loaded, load, openChromium } from '../page-browser.ts'
import { measurePageMemory } from '../page-memory.ts'
import { type Helper, root, startHelper, usedCpu_us } from '../processes.ts'
import { atMost, digits, median, printProgress, type Row } from '../report.ts'
import { costRequests, pageRounds } from '../settings.ts'

const kb = (bytes: number) => bytes / 1024
const webFolder = join(root, 'dist', 'web')

/** A forge, and who looks at it. */
interface Measured extends MeasuredForge {
  cookie: string
}

export async function measurePages(folder: string): Promise<Row[]> {
  const memory = await measurePageMemory(folder)
  const made = await startPageForge(folder)
  try {
    const measured = { ...made, cookie: await signIn(made.forge) }
    const plain = [...assetRows(), ...(await htmlRows(measured)), ...(await cpuRows(measured))]
    const browser = await openChromium()
    if (!browser) printProgress('no Chromium here: what it would measure is left out')
    const loaded = browser ? await browserRows(browser, measured).finally(() => browser.close()) : []
    return [...plain, ...loaded, ...(await memory.rows(measured))]
  } finally {
    await made.forge.stop()
  }
}

/** A row without a limit of its own but the budget. */
function budget(what: string, value: number, max: number, unit: string): Row {
  return { what, ours: `${digits(value)}${unit && ` ${unit}`}`, limit: '', ratio: digits(value / max), ...atMost(value, max, unit) }
}

const compressedSize = (name: string) => statSync(join(webFolder, name)).size

function assetRows(): Row[] {
  const names = readdirSync(webFolder).filter((name) => name.endsWith('.br'))
  const sum = (pattern: RegExp) => names.filter((name) => pattern.test(name)).reduce((bytes, name) => bytes + compressedSize(name), 0)
  return [
    budget('style sheet, brotli', kb(sum(/^style-.*\.css\.br$/)), 12, 'KB'),
    budget('script on every page, brotli', kb(sum(/^main-.*\.js\.br$/)), 8, 'KB'),
  ]
}

/** A page as a browser gets it. */
async function fetchPage({ forge, cookie }: Measured, path: string): Promise<{ body: Buffer; headers: Headers; sent_bytes: number }> {
  const { request } = await import('node:http')
  return new Promise((resolve, reject) => {
    const asked = request(`${forge.url}${path}`, { headers: { cookie, 'accept-encoding': 'gzip, br', accept: 'text/html' } }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        if (answer.statusCode !== 200) return reject(new Error(`${path} was answered with ${answer.statusCode}`))
        const body = Buffer.concat(chunks)
        resolve({ body, headers: new Headers(answer.headers as Record<string, string>), sent_bytes: body.length })
      })
    })
    asked.on('error', reject)
    asked.end()
  })
}

async function htmlRows(measured: Measured): Promise<Row[]> {
  printProgress('bytes of pages')
  const { lists, diff3000 } = measured.addresses
  const sizes: number[] = []
  for (const path of lists) sizes.push((await fetchPage(measured, path)).sent_bytes)
  const diff = (await fetchPage(measured, diff3000)).sent_bytes
  return [
    budget('HTML of a list as it is sent: the largest of projects, files, commits', kb(Math.max(...sizes)), 30, 'KB'),
    budget('HTML of 3,000 diff lines as it is sent', kb(diff), 150, 'KB'),
  ]
}

/** Processor time of the server, threads and all, for one of many requests, each of which finds cached what can be. */
async function cpuRows(measured: Measured): Promise<Row[]> {
  const rows: Row[] = []
  for (const [what, path, max_ms, share] of [
    ['a list (commits)', measured.addresses.lists[2] as string, 10, 5],
    ['3,000 diff lines, cached', measured.addresses.diff3000, 40, 50],
  ] as const) {
    printProgress(`processor time of ${what}`)
    const amount = Math.max(4, Math.round(costRequests / share))
    const run = async () => {
      const before_us = usedCpu_us(measured.forge.pid)
      const result = await autocannon({
        url: `${measured.forge.url}${path}`,
        headers: { cookie: measured.cookie, 'accept-encoding': 'gzip, br' },
        connections: 1,
        amount,
      })
      if (result.errors > 0 || result.non2xx > 0) throw new Error(`${path}: ${result.errors} errors, ${result.non2xx} refusals`)
      return (usedCpu_us(measured.forge.pid) - before_us) / amount / 1_000
    }
    await run()
    const times: number[] = []
    for (let round = 0; round < pageRounds; round += 1) times.push(await run())
    rows.push(budget(`server CPU: ${what}`, median(times), max_ms, 'ms'))
  }
  return rows
}

async function browserRows(browser: Browser, measured: Measured): Promise<Row[]> {
  const { addresses } = measured
  const list = addresses.lists[2] as string
  const pages = [
    { what: 'list', path: list, max_s: 1.5, max_blocking_ms: 200 },
    { what: 'page of an issue with 100 comments', path: addresses.talk, max_s: 1.5, max_blocking_ms: 200 },
    { what: 'diff of 3,000 lines', path: addresses.diff3000, max_s: 2, max_blocking_ms: 500 },
    { what: 'diff of 10,000 lines', path: addresses.diff10000, max_s: 2.5, max_blocking_ms: null },
    { what: 'merge request of 10,000 lines', path: addresses.review10000, max_s: 2.5, max_blocking_ms: null },
  ]
  const copy = await startCopy(
    measured,
    pages.map(({ path }) => path),
  )
  try {
    const rows = [...(await scriptRows(browser, measured)), ...(await requestRows(browser, measured, list))]
    for (const page of pages) rows.push(...(await paintRows(browser, measured, copy, page)))
    return [...rows, ...(await faultRows(browser, measured, [...addresses.lists, addresses.small, addresses.blobs[0] as string]))]
  } finally {
    await copy.stop()
  }
}

/** Bytes of scripts over the wire, for pages that have more than the script of every page. */
async function scriptRows(browser: Browser, { forge, cookie, addresses }: Measured): Promise<Row[]> {
  printProgress('scripts')
  const bytesOn = async (path: string) => (await load(browser, forge.url + path, cookie)).script_bytes
  const plain = await bytesOn(addresses.lists[0] as string)
  return [
    budget('more script on a diff with its text fields', kb((await bytesOn(addresses.small)) - plain), 12, 'KB'),
    budget('more script where a file is edited: the editor', kb((await bytesOn(addresses.edit)) - plain), 130, 'KB'),
  ]
}

async function requestRows(browser: Browser, { forge, cookie }: Measured, list: string): Promise<Row[]> {
  printProgress('requests')
  const cold = await load(browser, forge.url + list, cookie)
  const warm = await load(browser, forge.url + list, cookie, { warm: true })
  return [
    budget('requests of a list, cold, without avatars', cold.requests, 4, ''),
    budget('requests of a list, warm', warm.requests, 1, ''),
  ]
}

/** Serves the pages and files ready-made, as the limit: HTML compressed as well as brotli can. */
async function startCopy(measured: Measured, paths: readonly string[]): Promise<Helper> {
  const pages: StaticPage[] = []
  for (const path of paths) {
    const text = await (await fetch(measured.forge.url + path, { headers: { cookie: measured.cookie } })).text()
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'br', 'cache-control': 'no-store' }
    pages.push({ path, body: brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).toString('base64'), headers })
  }
  const types: Record<string, string> = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' }
  for (const name of readdirSync(webFolder).filter((file) => file.endsWith('.br'))) {
    const path = `/assets/${name.slice(0, -'.br'.length)}`
    const type = types[/\.(\w+)\.br$/.exec(name)?.[1] ?? ''] ?? 'application/octet-stream'
    const headers = { 'content-type': type, 'content-encoding': 'br', 'cache-control': 'public, max-age=31536000, immutable' }
    pages.push({ path, body: readFileSync(join(webFolder, name)).toString('base64'), headers })
  }
  return startHelper('static-pages.ts', pages)
}

interface Painted {
  what: string
  path: string
  max_s: number
  max_blocking_ms: number | null
}

/** Ours and the copy in turn: what else the machine does is then the same for both. */
async function paintRows(browser: Browser, { forge, cookie }: Measured, copy: Helper, page: Painted): Promise<Row[]> {
  printProgress(`painting a ${page.what}`)
  const [ours, theirs]: [Loaded[], Loaded[]] = [[], []]
  for (let round = 0; round < pageRounds; round += 1) {
    ours.push(await load(browser, forge.url + page.path, cookie, { slow: true }))
    theirs.push(await load(browser, copy.url + page.path, cookie, { slow: true }))
  }
  const middle = (loads: Loaded[], of: (one: Loaded) => number) => median(loads.map(of))
  const [largest_s, limit_s] = [ours, theirs].map((loads) => middle(loads, ({ largest_ms }) => largest_ms) / 1_000) as [number, number]
  const ratio = largest_s / limit_s
  const rows: Row[] = [
    {
      what: `largest paint of a ${page.what} at 1.6 Mbit/s, 150 ms, CPU ÷ 4`,
      ours: `${digits(largest_s)} s`,
      limit: `static files: ${digits(limit_s)} s`,
      ratio: digits(ratio),
      aim: `≤ ${page.max_s} s or ≤ 1.5 ×`,
      met: largest_s <= page.max_s || ratio <= 1.5,
    },
    {
      ...budget(
        `layout shift of a ${page.what}`,
        middle(ours, ({ shift }) => shift),
        0.02,
        '',
      ),
      limit: '',
    },
  ]
  if (page.max_blocking_ms === null) return rows
  const blocking = (loads: Loaded[]) => middle(loads, ({ blocking_ms }) => blocking_ms)
  return [
    ...rows,
    {
      ...budget(`blocking time of a ${page.what}`, blocking(ours), page.max_blocking_ms, 'ms'),
      limit: `static files: ${digits(blocking(theirs))} ms`,
    },
  ]
}

async function faultRows(browser: Browser, { forge, cookie }: Measured, paths: readonly string[]): Promise<Row[]> {
  printProgress('accessibility')
  let [violations, errors] = [0, 0]
  for (const path of paths) {
    errors += (await load(browser, forge.url + path, cookie)).consoleErrors.length
    const context = await browser.newContext()
    await addCookies(context, forge.url, cookie)
    const page = await context.newPage()
    await page.goto(forge.url + path)
    const found = await axeOf(page)
    for (const one of found) printProgress(`${path}: ${one}`)
    violations += found.length
    await context.close()
  }
  return [
    budgetOfNone(`axe violations on ${paths.length} pages`, violations),
    budgetOfNone(`errors in the console of ${paths.length} pages`, errors),
  ]
}

function budgetOfNone(what: string, value: number): Row {
  return { what, ours: String(value), limit: '', ratio: '', aim: '0', met: value === 0 }
}
