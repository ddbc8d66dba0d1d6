/** Every declared page in Chromium: accessible in light and dark, as wide as its window, and without errors in the console. */
import type { Page as Tab } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { Page } from '../../src/pages/frame/declaration.ts'
import { pages } from '../../src/pages/index.ts'
import { browserOf } from '../support/browser.ts'
import type { TestUser } from '../support/forge.ts'
import { type PageFixture, pageFixture, signedIn } from '../support/page-fixture.ts'
import { axeOf, looking, noSidewaysScroll, servedForge, widths } from './support.ts'

let fixture: PageFixture
let seenBy: (page: Page) => Promise<TestUser | null | undefined>

beforeAll(async () => {
  const forge = await servedForge()
  fixture = await pageFixture(forge)
  const viewers = [
    { user: fixture.insider, browser: await signedIn(forge, fixture.insider) },
    { user: null, browser: browserOf(forge.server) },
    { user: forge.root, browser: await signedIn(forge, forge.root) },
  ]
  /** The first of a member, a visitor (null) and an administrator to whom it is shown as a document; undefined for redirects and bytes. */
  seenBy = async (page) => {
    for (const { user, browser } of viewers) {
      const { status, headers } = await browser.get(fixture.addressOf(page))
      if (status === 200 && String(headers['content-type']).startsWith('text/html')) return user
    }
    return undefined
  }
})

test.each(pages.filter(({ kind }) => kind === 'page').map((page) => [page.pattern.text, page] as const))('%s', async (_, page) => {
  const user = await seenBy(page)
  if (user === undefined) return
  const look = async (tab: Tab) => {
    await tab.emulateMedia({ colorScheme: 'light' })
    await tab.setViewportSize({ width: widths.desktop, height: 800 })
    expect((await tab.goto(fixture.addressOf(page)))?.status()).toBe(200)
    expect(await axeOf(tab), 'light, on a desktop').toEqual([])
    await noSidewaysScroll(tab, 'desktop')
    await tab.emulateMedia({ colorScheme: 'dark' })
    await noSidewaysScroll(tab, 'narrow')
    await noSidewaysScroll(tab, 'phone')
    expect(await axeOf(tab, { rules: ['color-contrast', 'target-size', 'scrollable-region-focusable'] }), 'dark, on a phone').toEqual([])
  }
  await looking(look, user === null ? {} : { user })()
})
