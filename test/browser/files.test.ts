/** The pages of files in Chromium: ranges of lines, the finder, the editor, and last commits that come after the list. */
import { beforeAll, expect, test } from 'vitest'
import { isMisleading } from '../../src/features/instance/markdown/markdown.ts'
import type { TestProject, TestUser } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { withoutScript } from './hands.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge } from './support.ts'

let user: TestUser
let project: TestProject
const at = (rest: string) => `/${project.full_path}/${rest}`

beforeAll(async () => {
  const forge = await servedForge()
  user = await forge.user({ password: 'correct horse battery' })
  const lines = Array.from({ length: 60 }, (_, index) => `export const value${index} = ${index} // "text"`)
  project = await forge.project({
    owner: user,
    commits: [
      {
        files: {
          'README.md':
            '# Shapes\n\n- [x] done\n\n$$\n\\begin{align} a &= b \\\\ c &= \\frac{d}{e} \\end{align}\n$$\n\n```ts\nlet x = 1\n```\n',
          'src/values.ts': `${lines.join('\n')}\n`,
          'src/deep/other.ts': 'let a\n',
          'bidi.c': 'int a\u202e;\n',
        },
      },
    ],
  })
})

test.each([
  ['a folder', 'tree/main'],
  ['code', 'blob/main/src/values.ts'],
  ['Markdown', 'blob/main/README.md'],
  ['invisible characters', 'blob/main/bidi.c'],
  ['a blame', 'blame/main/src/values.ts'],
  ['the finder', 'find_file/main'],
  ['the editor', 'edit/main/src/values.ts'],
  ['a new file', 'new/main/src'],
  ['an upload', 'create/main'],
])(
  '%s is accessible in light and dark, and as wide as its window',
  inFullRun(
    '18 times axe. pages.test.ts looks at each of these pages with axe, in light, and at their widths; here are hard texts, both colours and more windows.',
  ),
  (_, address) =>
    browsing(async (open) => {
      for (const width of ['desktop', 'narrow'] as const) {
        const tab = await open({ user, width })
        await tab.goto(at(address))
        await noSidewaysScroll(tab, width)
        if (width === 'desktop') expect(await axeOf(tab)).toEqual([])
        await tab.emulateMedia({ colorScheme: 'dark' })
        if (width === 'desktop') expect(await axeOf(tab)).toEqual([])
      }
    })(),
)

test(
  'a click takes one line and Shift a range, which its address shows again',
  browsing(async (open) => {
    const tab = await open({ user })
    await tab.goto(at('blob/main/src/values.ts'))
    await tab.click('#L3 > a')
    await tab.click('#L9 > a', { modifiers: ['Shift'] })
    await expect.poll(() => new URL(tab.url()).hash).toBe('#L3-9')
    await tab.reload()
    await expect.poll(() => tab.locator('.marked').count()).toBe(7)
    await expect.poll(() => tab.evaluate('document.querySelector("#L9").textContent')).toContain('value8')
  }),
)

test(
  'the tree beside a file is opened to where that is, opens folders in place by keyboard, and moves nothing',
  browsing(async (open) => {
    const tab = await open({ user })
    await tab.goto(at('blob/main/src/values.ts'))
    const tree = tab.getByRole('navigation', { name: 'Files' })
    await expect.poll(() => tree.locator('[aria-current]').innerText()).toBe('values.ts')
    const before = await tab.locator('.code').boundingBox()
    await tree.getByRole('button', { name: 'deep' }).focus()
    await tab.keyboard.press('Enter')
    await tree.getByRole('link', { name: 'other.ts' }).waitFor()
    expect(await tab.locator('.code').boundingBox()).toEqual(before)
    await tree.getByRole('button', { name: 'deep' }).click()
    await expect.poll(() => tree.getByRole('link', { name: 'other.ts' }).isVisible()).toBe(false)
    expect(await axeOf(tab)).toEqual([])
  }),
)

test(
  'the menu of branches lies over the page, is filtered while one types, and Enter leads to the first that fits',
  browsing(async (open) => {
    await git(project.dir, 'branch', 'side', 'main')
    await git(project.dir, 'tag', 'v1', 'main')
    const tab = await open({ user })
    await tab.goto(at('tree/main/src'))
    await expect.poll(() => tab.locator('[id^="change-"] a').count()).toBe(2)
    const before = await tab.locator('.files').boundingBox()
    await tab.locator('.ref-switch summary').click()
    await expect.poll(() => tab.locator('.files').boundingBox()).toEqual(before)
    await tab.getByRole('radio', { name: /^Tags/ }).check()
    await expect.poll(() => tab.locator('.ref-switch li a:visible').allInnerTexts()).toEqual(['v1'])
    await tab.getByRole('radio', { name: /^Branches/ }).check()
    expect(await axeOf(tab)).toEqual([])
    await tab.locator('#ref-search').fill('si')
    await expect.poll(() => tab.locator('.ref-switch li a:visible').allInnerTexts()).toEqual(['side'])
    await tab.locator('#ref-search').press('Enter')
    await tab.waitForURL(`**${at('tree/side/src')}`)
  }),
)

test(
  'without script the menu of branches shows both lists, and finds by its form',
  withoutScript,
  browsing(async (open) => {
    const tab = await open({ user, script: false })
    await tab.goto(at('blob/main/src/values.ts'))
    await tab.locator('.ref-switch summary').click()
    await tab.getByRole('radio', { name: /^Tags/ }).check()
    await tab.locator('#ref-search').fill('mai')
    await tab.locator('#ref-search').press('Enter')
    await tab.getByRole('link', { name: 'main', exact: true }).last().click()
    await tab.waitForURL(`**${at('blob/main/src/values.ts')}`)
  }),
)

test(
  'a line of a blame is as high as a line of code, on a phone, too',
  inFullRun('0.5 s of processor for the height of one row. files.test.ts reads the same page.'),
  browsing(async (open) => {
    for (const width of ['desktop', 'phone'] as const) {
      const tab = await open({ user, width })
      await tab.goto(at('blame/main/src/deep/other.ts'))
      await expect.poll(async () => (await tab.locator('.blame tbody tr').first().boundingBox())?.height).toBeLessThan(24)
    }
  }),
)

test(
  'a file is found by letters of its path, with the keyboard alone',
  inFullRun('Half a second of processor. The palette finds a file of the project in `search.test.ts`.'),
  browsing(async (open) => {
    const tab = await open({ user })
    await tab.goto(at('find_file/main'))
    await tab.locator('#query').pressSequentially('dpoth')
    await tab.locator('.found a[aria-current]').waitFor()
    await expect.poll(() => tab.locator('.found a').allTextContents()).toEqual(['src/deep/other.ts'])
    await tab.keyboard.press('Enter')
    await tab.waitForURL(`**${at('blob/main/src/deep/other.ts')}`)
  }),
)

test(
  'the editor changes the text that the form sends',
  browsing(async (open) => {
    const tab = await open({ user })
    await tab.goto(at('edit/main/src/deep/other.ts'))
    await tab.locator('.cm-content').click()
    await tab.keyboard.press('Control+End')
    await tab.keyboard.type('let b')
    await tab.keyboard.press('Control+Enter')
    await tab.waitForURL(`**${at('blob/main/src/deep/other.ts')}`)
    expect(await git(project.dir, 'show', 'main:src/deep/other.ts')).toBe('let a\nlet b')
  }),
)

test(
  'without script a file is edited in a text field',
  withoutScript,
  browsing(async (open) => {
    const tab = await open({ user, script: false })
    await tab.goto(at('edit/main/bidi.c'))
    const text = await tab.locator('#content').inputValue()
    expect(isMisleading(text)).toBe(true)
    await tab.locator('#content').fill('int b;\n')
    await tab.locator('button', { hasText: 'Commit changes' }).click()
    await tab.waitForURL(`**${at('blob/main/bidi.c')}`)
    expect(await git(project.dir, 'show', 'main:bidi.c')).toBe('int b;')
  }),
)
