/** Every declared page in Chromium: accessible in light and dark, as wide as its window, and without errors in the console. */
import type { Page as Tab } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { Page } from '../../src/pages/frame/declaration.ts'
import { pages } from '../../src/pages/index.ts'
import { sampled } from '../contract/world/budgets.ts'
import { browserOf } from '../support/browser.ts'
import { type PageFixture, pageFixture, signedIn } from '../support/fixtures/page-fixture.ts'
import type { TestUser } from '../support/forge.ts'
import { cpuBudget } from '../support/run/cpu.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { axeOf, looking, noSidewaysScroll, servedForge, widths } from './support.ts'

cpuBudget(50, 'Every page in a browser, with axe.')

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
  const administratorFirst = viewers.toReversed()
  /** The first of a member, a visitor (null) and an administrator to whom it is shown as a document; undefined for redirects and bytes. */
  seenBy = async (page) => {
    // Nobody else is shown what begins with this.
    for (const { user, browser } of page.pattern.text.startsWith('/admin') ? administratorFirst : viewers) {
      const { status, headers } = await browser.get(fixture.addressOf(page))
      if (status === 200 && String(headers['content-type']).startsWith('text/html')) return user
    }
    return undefined
  }
})

const shown = pages.filter(({ kind }) => kind === 'page').map((page) => [page.pattern.text, page] as const)

/** Opens the page as the first to whom it is shown, and looks at it. */
async function lookAt(page: Page, colorScheme: 'light' | 'dark', look: (tab: Tab) => Promise<void>): Promise<void> {
  const user = await seenBy(page)
  if (user === undefined) return
  const visit = async (tab: Tab) => {
    await tab.emulateMedia({ colorScheme })
    // As high as where its width is looked at: another height would be another layout.
    await tab.setViewportSize({ width: widths[colorScheme === 'light' ? 'desktop' : 'phone'], height: 720 })
    expect((await tab.goto(fixture.addressOf(page)))?.status()).toBe(200)
    await look(tab)
  }
  await looking(visit, user === null ? {} : { user })()
}

/**
 * In the gate the contrast of a third of the pages, as it takes 40 % of the time of all rules: pages share their colors. The full run looks
 * at it on each page, in light and dark.
 */
const inContrast = new Set(sampled(shown, 3, ([pattern]) => pattern).map(([pattern]) => pattern))

test.each(shown)('%s', (pattern, page) =>
  lookAt(page, 'light', async (tab) => {
    const without = inContrast.has(pattern) ? [] : ['color-contrast']
    expect(await axeOf(tab, { without }), 'light, on a desktop').toEqual([])
    await noSidewaysScroll(tab, 'desktop')
    await noSidewaysScroll(tab, 'narrow')
  }),
)

const onPhones = inFullRun(
  'A fifth of a second of processor for each page. In the gate: every page in light at 1280 and 320 px; of dark, the contrast of code (`colours.test.ts`).',
)

test.each(shown)('%s, dark, on a phone', onPhones, (_, page) =>
  lookAt(page, 'dark', async (tab) => {
    await noSidewaysScroll(tab, 'phone')
    expect(await axeOf(tab, { rules: ['color-contrast', 'target-size', 'scrollable-region-focusable'] })).toEqual([])
  }),
)
