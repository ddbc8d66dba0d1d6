/**
 * Chromium for tests: one browser per worker, a separate context for every visit, and no error in its console. playwright-core drives
 * the Chromium of the system: @playwright/test is a second test runner, and a browser per test costs a second. Screenshots are not
 * compared, as they differ with fonts and versions; people look at them.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { findChromium } from '../../tools/chromium.mjs'
import { browserOf } from '../support/browser.ts'
import { type Forge, openForge, type TestUser } from '../support/forge.ts'
import { freePort } from '../support/free-port.ts'
import { childrenOf, readProc } from '../support/proc.ts'
import { atEndOfFile } from '../support/run/cleanup.ts'
import { outlivesFiles } from '../support/run/cpu.ts'

export { axeOf } from './axe.ts'

/** Widths in CSS pixels: the narrowest that is supported, a phone, a desktop. */
export const widths = { narrow: 320, phone: 375, desktop: 1280 } as const
export type Width = keyof typeof widths

export interface VisitOptions {
  /** Signed in as this user. They need a password. */
  user?: TestUser
  width?: Width
  dark?: boolean
  /** False for a browser without scripts. */
  script?: boolean
  /** URL of the pages; that of this file's forge by default. */
  url?: string
}

/** Opens a window with its own cookies, and a tab in it. */
export type Open = (options?: VisitOptions) => Promise<Page>

let launched: Promise<Browser> | null = null
let served: Promise<Forge> | null = null
const sessions = new Map<number, Array<{ name: string; value: string }>>()

/** The browser of this worker, started at the first call. Its processes go on with the next file, so that their time can be told. */
function openBrowser(): Promise<Browser> {
  launched ??= launch()
  return launched
}

async function launch(): Promise<Browser> {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('There is no Chromium here: install chromium, or name one in GITSTEAD_TEST_CHROMIUM')
  // Scripts run a few times: not optimizing them takes a sixth less of the processor time.
  const args = ['--disable-gpu', '--renderer-process-limit=2', '--js-flags=--max-opt=1']
  // It ends with the worker, when that no longer holds the other end of its pipe.
  const browser = await chromium.launch({ executablePath, args, handleSIGTERM: false })
  browser.once('disconnected', () => {
    launched = null
  })
  const pid = childrenOf('self').find((child) => readProc(`${child}/cmdline`).includes('--remote-debugging-pipe'))
  if (pid !== undefined) outlivesFiles(pid)
  return browser
}

/** The forge of this test file, configured with its URL and with a running queue, as a server has. */
export function servedForge(): Promise<Forge> {
  served ??= serve()
  return served
}

async function serve(): Promise<Forge> {
  const port = await freePort()
  const forge = await openForge({ config: { port, url: `http://127.0.0.1:${port}` } })
  atEndOfFile(() => {
    served = null
    sessions.clear()
  })
  await forge.url()
  await forge.startQueue()
  return forge
}

/**
 * A test that visits pages. Its windows are closed when it ends; none may have errors in the console or uncaught exceptions, except
 * `expected` ones. On failure, a screenshot of every tab is kept.
 */
export function browsing(work: (open: Open) => Promise<void>, { expected }: { expected?: RegExp } = {}): () => Promise<void> {
  return async () => {
    const contexts: BrowserContext[] = []
    const errors: string[] = []
    const open: Open = async (options = {}) => {
      const { page, context } = await openWindow(options, errors)
      contexts.push(context)
      return page
    }
    try {
      await work(open)
      expect(
        errors.filter((error) => !expected?.test(error)),
        'errors in the console',
      ).toEqual([])
    } catch (error) {
      await keepPictures(contexts)
      throw error
    } finally {
      await Promise.all(contexts.map((context) => context.close()))
    }
  }
}

/**
 * As `browsing`, in one tab for all tests of a file that only look at pages: a window for each costs as much as the page. The tab keeps its
 * width and colors: set those that matter.
 */
export function looking(work: (tab: Page) => Promise<void>, options: VisitOptions = {}): () => Promise<void> {
  return async () => {
    const { page, context, errors } = await sharedTab(options)
    errors.length = 0
    try {
      await work(page)
      expect(errors, 'errors in the console').toEqual([])
    } catch (error) {
      await keepPictures([context])
      throw error
    }
  }
}

type SharedTab = { page: Page; context: BrowserContext; errors: string[] }
const tabs = new Map<number, Promise<SharedTab>>()

function sharedTab(options: VisitOptions): Promise<SharedTab> {
  const key = options.user?.id ?? 0
  const known = tabs.get(key)
  if (known) return known
  const errors: string[] = []
  const opened = openWindow(options, errors).then((window) => ({ ...window, errors }))
  atEndOfFile(async () => {
    tabs.delete(key)
    // A window that didn't open has failed its test already, and there is nothing to close.
    await opened.then(
      ({ context }) => context.close(),
      () => {},
    )
  })
  tabs.set(key, opened)
  return opened
}

async function openWindow(options: VisitOptions, errors: string[]): Promise<{ page: Page; context: BrowserContext }> {
  const { user, width = 'desktop', dark = false, script = true } = options
  const url = options.url ?? (await (await servedForge()).url())
  const browser = await openBrowser()
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: widths[width], height: width === 'desktop' ? 800 : 720 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    javaScriptEnabled: script,
    hasTouch: width !== 'desktop',
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  context.setDefaultTimeout(30_000)
  context.on('page', (page) => watch(page, errors))
  if (user) await context.addCookies((await sessionOf(user)).map((cookie) => ({ ...cookie, url })))
  return { page: await context.newPage(), context }
}

/** Collects the errors of a page. The status of a page itself, or of a form sent by a script, is an answer and not an error. */
function watch(page: Page, errors: string[]): void {
  const answered = new Set<string>()
  page.on('response', (response) => {
    const request = response.request()
    if (request.isNavigationRequest() || request.method() === 'POST') answered.add(response.url())
  })
  page.on('pageerror', (error) => errors.push(`${page.url()}: ${error.message}`))
  page.on('console', (message) => {
    const { url } = message.location()
    const isStatus = /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text())
    if (message.type() === 'error' && !(isStatus && answered.has(url))) errors.push(`${page.url()}: ${message.text()} (${url})`)
  })
}

/** The cookies of a session, which all windows of a user share: checking a password takes long. */
async function sessionOf(user: TestUser): Promise<Array<{ name: string; value: string }>> {
  const known = sessions.get(user.id)
  if (known) return known
  const forge = await servedForge()
  const visitor = browserOf(forge.server)
  const { status } = await visitor.submit('/users/sign_in', '/users/sign_in', { login: user.username, password: user.password ?? '' })
  if (status !== 303) throw new Error(`${user.username} could not sign in: ${status}`)
  const cookies = [...visitor.cookies].map(([name, value]) => ({ name, value }))
  sessions.set(user.id, cookies)
  return cookies
}

/** Signs in by the form, as users do. */
export async function signIn(page: Page, { username, password }: Pick<TestUser, 'username' | 'password'>): Promise<void> {
  await page.goto('/users/sign_in')
  await page.getByLabel('Username or email').fill(username)
  await page.getByLabel('Password').fill(password ?? '')
  await Promise.all([
    page.waitForURL((url) => !url.pathname.startsWith('/users/')),
    page.getByRole('button', { name: 'Sign in', exact: true }).click(),
  ])
}

/** Elements that make a page wider than its window, as selectors; empty if it doesn't scroll sideways. */
export function widerThanWindow(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const scrolls = (element) => element !== null && element !== document.documentElement && element !== document.body &&
      (getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement))
    const wide = [...document.body.querySelectorAll('*')].filter((element) =>
      element.getBoundingClientRect().right > clientWidth + 1 && !scrolls(element.parentElement))
    return ['scrolls by ' + (scrollWidth - clientWidth), ...wide.map((element) =>
      element.tagName.toLowerCase() + [...element.classList].map((name) => '.' + name).join('')).slice(0, 8)]
  })()`)
}

/** Asserts that nothing scrolls sideways at this width. The window keeps the width. */
export async function noSidewaysScroll(page: Page, width: Width): Promise<void> {
  await page.setViewportSize({ width: widths[width], height: 720 })
  // The layout follows the new width with the next frames.
  await expect.poll(() => widerThanWindow(page), { message: `${page.url()} ${width}` }).toEqual([])
}

/** Screenshots are kept here, outside of the folders that are cleaned up. */
const pictureFolder = process.env.GITSTEAD_TEST_PICTURES ?? '/tmp/gitstead-pictures'

async function keepPictures(contexts: readonly BrowserContext[]): Promise<void> {
  const name = (expect.getState().currentTestName ?? 'test').replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 80)
  await mkdir(pictureFolder, { recursive: true })
  const tabs = contexts.flatMap((context) => context.pages())
  for (const [index, tab] of tabs.entries()) {
    const path = join(pictureFolder, `${name}-${index}.png`)
    // A tab that has crashed has no screenshot, and the first failure is what matters.
    await tab.screenshot({ path, fullPage: true, timeout: 5_000 }).then(
      () => process.stderr.write(`${tab.url()} as it was when the test failed: ${path}\n`),
      () => null,
    )
  }
}
