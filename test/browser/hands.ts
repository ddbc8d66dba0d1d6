/** Ways to use a page: by mouse, by keyboard alone, and without scripts. A journey is written once and run with each. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { inFullRun } from '../support/run/tiers.ts'
import type { Open, VisitOptions } from './support.ts'

/** Globals of functions that run in a page. */
declare const getComputedStyle: (element: unknown) => Record<string, string>

export interface Hand {
  page: Page
  /** Opens a URL, as a bookmark does. */
  open: (path: string) => Promise<void>
  /** Follows a link of the page, by its URL. */
  follow: (href: string) => Promise<void>
  /** Fills in the form with this target, and submits it. Booleans are checkboxes. */
  send: (action: string, fields?: Record<string, string | boolean>) => Promise<void>
  /** Waits until the page has this path. */
  arrive: (path: string | RegExp) => Promise<void>
}

export interface Way {
  name: string
  window: VisitOptions
  press: (target: Locator) => Promise<void>
  write: (target: Locator, value: string) => Promise<void>
  choose: (target: Locator, value: string) => Promise<void>
}

/** More than any page of these journeys has. */
const maxTabs = 300

/** In its document, or in its shadow tree. */
const hasFocus = (element: unknown) => {
  const { activeElement } = (element as { getRootNode: () => { activeElement: unknown } }).getRootNode()
  return activeElement === element
}

/** Moves the focus to an element with the Tab key alone. */
async function tabTo(target: Locator): Promise<void> {
  const page = target.page()
  for (let count = 0; count < maxTabs; count += 1) {
    if (await target.evaluate(hasFocus)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the Tab key does not lead to ${target}`)
}

const clicking: Pick<Way, 'press' | 'write' | 'choose'> = {
  press: (target) => target.click(),
  write: (target, value) => target.fill(value),
  async choose(target, value) {
    await target.selectOption(value)
  },
}

export const ways: Way[] = [
  { name: 'by mouse', window: { width: 'desktop' }, ...clicking },
  { name: 'without scripts, on a phone', window: { width: 'phone', script: false, dark: true }, ...clicking },
  {
    name: 'by keyboard alone',
    window: { width: 'desktop', dark: true },
    async press(target) {
      await tabTo(target)
      await expectVisibleFocus(target)
      await target.page().keyboard.press('Enter')
    },
    async write(target, value) {
      await tabTo(target)
      await target.page().keyboard.press('ControlOrMeta+a')
      await target.page().keyboard.insertText(value)
    },
    async choose(target, value) {
      await tabTo(target)
      await target.page().keyboard.press('Home')
      for (let count = 0; (await target.inputValue()) !== value && count < maxTabs; count += 1)
        await target.page().keyboard.press('ArrowDown')
      expect(await target.inputValue()).toBe(value)
    },
  },
]

/** For journeys that the gate runs with scripts. */
export const withoutScript = inFullRun('1 to 2 s of processor. The same is done with script; `src/pages` tests the forms without.')

/** The gate runs each journey by mouse. */
export const tierOf = ({ name }: Way) =>
  name === 'by mouse'
    ? {}
    : inFullRun('1 to 2 s of processor each. The same journey is taken by mouse; `src/pages` tests its forms without script.')

/** Keyboard users can see the focus. */
async function expectVisibleFocus(target: Locator): Promise<void> {
  const { outlineStyle, outlineWidth, boxShadow } = await target.evaluate((element) => {
    const style = getComputedStyle(element)
    return { outlineStyle: style.outlineStyle, outlineWidth: style.outlineWidth, boxShadow: style.boxShadow }
  })
  expect((outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none', `the focus shows on ${target}`).toBe(true)
}

export async function handOf(way: Way, open: Open, options: VisitOptions = {}): Promise<Hand> {
  const page = await open({ ...way.window, ...options })
  const quoted = (text: string) => JSON.stringify(text)
  const hand: Hand = {
    page,
    async open(path) {
      const answer = await page.goto(path)
      expect([path, answer?.status()]).toEqual([path, 200])
    },
    async follow(href) {
      const link = page.locator(`a[href=${quoted(href)}]:visible`).first()
      await reveal(way, page.locator(`a[href=${quoted(href)}]`).first())
      await way.press(link)
      await hand.arrive(href)
    },
    async send(action, fields = {}) {
      const form = page.locator(`form[action=${quoted(action)}]`).first()
      await reveal(way, form)
      for (const [name, value] of Object.entries(fields)) await fillIn(way, form, name, value)
      await way.press(form.locator('button:not([type="button"]):visible').last())
    },
    async arrive(path) {
      const isThere = (url: URL) =>
        typeof path === 'string'
          ? decodeURI(url.pathname + url.search) === decodeURI(path) || url.pathname === path
          : path.test(url.pathname)
      // A script replaces the page without a navigation: only the URL changes.
      await page.waitForURL(isThere, { waitUntil: 'commit' })
      await page.locator('h1').first().waitFor()
    },
  }
  return hand
}

/** Opens what hides it: menus and irreversible actions are behind summaries. */
async function reveal(way: Way, target: Locator): Promise<void> {
  await target.waitFor({ state: 'attached' })
  const closed = target.locator('xpath=ancestor::details[not(@open)]')
  // From the outside in.
  while ((await closed.count()) > 0) await way.press(closed.first().locator('> summary'))
}

/** The editor replaces its text field. */
async function edit(way: Way, editor: Locator, text: string): Promise<void> {
  const { keyboard } = editor.page()
  if (way.name === 'by keyboard alone') await tabTo(editor)
  else await editor.click()
  await keyboard.press('ControlOrMeta+a')
  await keyboard.insertText(text)
  // After Escape, the Tab key leaves it.
  await keyboard.press('Escape')
}

async function fillIn(way: Way, form: Locator, name: string, value: string | boolean): Promise<void> {
  // Files of snippets have no editor.
  const hasEditor = name === 'content' && way.window.script !== false && (await form.locator('.file-fields').count()) === 0
  if (hasEditor) return edit(way, form.locator('.cm-content'), String(value))
  const all = form.locator(`[name=${JSON.stringify(name)}]:not([type="hidden"])`)
  const kind = await all.first().evaluate((element: unknown) => {
    const { localName, type } = element as Record<string, string>
    return localName === 'select' ? 'select' : type
  })
  if (kind === 'select') return way.choose(all.first(), String(value))
  if (kind !== 'checkbox' && kind !== 'radio') return way.write(all.first(), String(value))
  const box = kind === 'radio' ? form.locator(`[name=${JSON.stringify(name)}][value=${JSON.stringify(value)}]`) : all.first()
  if ((await box.isChecked()) === (kind === 'radio' || value)) return
  if (way.name !== 'by keyboard alone') return box.click()
  if (kind === 'radio') await tabTo(all.and(form.locator(':checked')))
  else await tabTo(box)
  for (let count = 0; count < 10 && (await box.isChecked()) !== (kind === 'radio' || value); count += 1) {
    await form.page().keyboard.press(kind === 'radio' ? 'ArrowDown' : 'Space')
  }
}
