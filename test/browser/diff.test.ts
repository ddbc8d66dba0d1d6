/** Diffs in a browser: what script does better, and that everything works without. */
import { beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../tools/chromium.mjs'
import type { Forge, TestProject, TestUser } from '../support/forge.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { withoutScript } from './hands.ts'
import { browsing, servedForge, widths } from './support.ts'

let forge: Forge
let user: TestUser
let project: TestProject
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`).join('')

describe.skipIf(!findChromium())('diffs', () => {
  beforeAll(async () => {
    forge = await servedForge()
    user = await forge.user({ password: 'correct horse battery' })
    const small = Object.fromEntries(
      Array.from({ length: 120 }, (_, index) => [`many/f${String(index).padStart(3, '0')}.txt`, `${index}\n`]),
    )
    project = await forge.project({
      developer: user,
      visibility: 'public',
      commits: [
        { files: { 'a.txt': lines(300), 'big.txt': 'x\n' } },
        { files: { 'a.txt': lines(300).replace('line 150\n', 'another line\n'), 'big.txt': lines(1_500), ...small } },
      ],
    })
  })

  test(
    'the next files come as one scrolls, and the last of them is found by the address of its line',
    inFullRun('1 s of processor. The form beneath a line is in the gate, below.'),
    browsing(async (open) => {
      const page = await open()
      await page.goto(`/${project.full_path}/commit/main`)
      await expect.poll(() => page.locator('.diff-file').count()).toBe(100)
      await page.locator('.more .next').scrollIntoViewIfNeeded()
      await page.locator('#f122').waitFor({ state: 'attached' })
      await expect.poll(() => page.locator('.diff-file').count()).toBe(122)
      await expect.poll(() => page.locator('.more .next').count()).toBe(0)
    }),
  )

  test(
    'a folded file and more lines around a change are loaded in place',
    inFullRun('Half a second of processor. `diff.pages.test.ts` shows them by their links, as without script.'),
    browsing(async (open) => {
      const page = await open()
      await page.goto(`/${project.full_path}/commit/main`)
      await page.locator('#f2 .load').click()
      await page.locator('[id="2R1500"]').waitFor({ state: 'attached' })
      await page.locator('#f1 .load').first().click()
      await page.locator('[id="1R135"]').waitFor({ state: 'attached' })
      await expect.poll(() => new URL(page.url()).search).toBe('')
    }),
  )

  test(
    'a click on the number of a line links to it and opens a form; the note stands beneath the line',
    browsing(async (open) => {
      const page = await open({ user })
      await page.goto(`/${project.full_path}/commit/main`)
      await page.locator('tr[id="1R151"] td:nth-child(2)').click()
      await expect.poll(() => new URL(page.url()).hash).toBe('#1R151')
      await expect.poll(() => page.locator('tr[id="1R151"]').getAttribute('class')).toContain('is-target')
      await page.locator('.line-note textarea').fill('Why another?')
      await page.locator('.line-note').getByRole('button', { name: 'Comment' }).click()
      await page.locator('.diff .note', { hasText: 'Why another?' }).waitFor()
      await expect.poll(() => page.locator('tr[id="1R151"] + tr.b .note').count()).toBe(1)
    }),
  )

  test(
    'without script a line is written on, a folded file and the next files are opened by their links',
    withoutScript,
    browsing(async (open) => {
      const page = await open({ user, script: false })
      await page.goto(`/${project.full_path}/commit/main`)
      await page.locator('#f2 .load').click()
      await expect.poll(() => page.locator('#f2 tr').count()).toBeGreaterThan(1_000)
      await page.goto(`/${project.full_path}/commit/main`)
      await page.locator('#f1').getByRole('link', { name: 'Comment' }).click()
      await page.getByLabel('Line').fill('150')
      await page.getByLabel('Comment', { exact: true }).fill('Without script')
      await page.getByRole('button', { name: 'Comment', exact: true }).click()
      await page.locator('tr[id="1R150"] + tr.b .note', { hasText: 'Without script' }).waitFor()
      await page.locator('.more .next').click()
      await expect.poll(() => page.locator('.diff-file').first().getAttribute('id')).toBe('f101')
    }),
  )

  test(
    'no page of a history scrolls sideways, on a phone or side by side',
    inFullRun('15 pages. pages.test.ts looks at the widths of each kind of them.'),
    browsing(async (open) => {
      for (const width of ['narrow', 'phone', 'desktop'] as const) {
        const page = await open({ width })
        for (const path of ['commits/main', 'commit/main', 'commit/main?view=split', 'compare/main~1...main', 'network/main']) {
          await page.goto(`/${project.full_path}/${path}`)
          const wide = await page.evaluate(() => document.documentElement.scrollWidth)
          expect([path, width, wide <= widths[width]]).toEqual([path, width, true])
        }
      }
    }),
  )
})
