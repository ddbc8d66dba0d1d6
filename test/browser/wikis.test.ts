/** Wikis in a browser: written, moved, compared and deleted, by mouse, by keyboard and without scripts. */
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { Forge, TestProject, TestUser } from '../support/forge.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { handOf, tierOf, ways } from './hands.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge, type Width } from './support.ts'

let forge: Forge
let user: TestUser
let shown: Promise<TestProject> | null = null

const asciidoc = `= Set up

Install *Tides* with \`npm\`, see <<settings>>.footnote:[Node.js 20 or later.]

[source,js]
----
const water = new Tides('Brest') // metres
----

[[settings]]
== Settings

|===
|Name |Meaning |Default

|harbour |A name with known constants |none
|a_very_long_name_of_a_setting_that_does_not_break |How many days are computed |2
|===

NOTE: Constants are read once.
`

beforeAll(async () => {
  forge = await servedForge()
  user = await forge.user({ password: 'correct horse battery', name: 'Ines Duarte' })
})

/** A wiki with pages in every language of text, once for the tests that look at it. */
function shownWiki(): Promise<TestProject> {
  shown ??= makeWiki()
  return shown
}

async function makeWiki(): Promise<TestProject> {
  const project = await forge.project({ owner: user, visibility: 'public' })
  const write = (title: string, content: string, format = 'markdown') =>
    forge.as(user).post(`/projects/${project.id}/wikis`, { title, content, format })
  await write(
    'home',
    '---\ntitle: Welcome to Tides\n---\n# Contents\n\n- [[guides/set up]]\n- [[words|guides/formats/org page]]\n\n```js\nlet x = 1\n```',
  )
  await write('guides/set up', asciidoc, 'asciidoc')
  await write('guides/formats/org page', '* Head\n- [X] done\n| a | b |\n|---+---|\n| 1 | 2 |', 'org')
  await write('guides/formats/textile page', 'h1. Head\n\nSome *bold* text', 'textile')
  await write('Überblick', 'Text '.repeat(200))
  for (let index = 0; index < 20; index += 1) await write(`notes/day ${index}`, `Day ${index}`, 'rdoc')
  await forge
    .as(user)
    .put(`/projects/${project.id}/wikis/home`, { content: 'Changed\n\nA second line that is new\n', message: 'Say it shorter' })
  return project
}

for (const [index, way] of ways.entries()) {
  const text = (page: Page, content: string) => way.write(page.locator('textarea[name=content]'), content)

  test(
    `a page is written, found in the tree, changed, compared with its first version and deleted: ${way.name}`,
    tierOf(way),
    browsing(async (open) => {
      const project = await forge.project({ owner: user, visibility: 'public' })
      const base = `/${project.full_path}/wikis`
      const hand = await handOf(way, open, { user })
      await hand.open(base)
      await hand.follow(`${base}/-/new`)
      await text(hand.page, 'one\n\ntwo')
      await hand.send(`${base}/-/create`, { title: `docs/page ${index}` })
      await hand.arrive(`${base}/docs/page-${index}`)
      await hand.page.getByText('Last changed by').waitFor()
      await hand.follow(`${base}/-/edit/docs/page-${index}`)
      await text(hand.page, 'one\n\nthree')
      await hand.send(`${base}/-/update/docs/page-${index}`, { title: 'moved', message: 'Move it' })
      await hand.arrive(`${base}/docs/moved`)
      await hand.follow(`${base}/-/history/docs/moved`)
      await hand.page.getByText('Move it').waitFor()
      await hand.open(`${base}/-/edit/docs/moved`)
      await text(hand.page, 'one\n\nfour')
      await hand.send(`${base}/-/update/docs/moved`)
      await hand.arrive(`${base}/docs/moved`)
      await hand.open(`${base}/-/history/docs/moved`)
      await way.press(hand.page.getByRole('button', { name: 'Compare the versions' }))
      await hand.page.getByRole('heading', { name: 'Changes of moved' }).waitFor()
      await expect.poll(() => hand.page.locator('.diff-file').textContent()).toContain('four')
      await hand.open(`${base}/-/edit/docs/moved`)
      await way.press(hand.page.getByText('Delete this page'))
      await way.press(hand.page.getByRole('button', { name: 'Delete page' }))
      await hand.page.getByText('Page docs/moved deleted').waitFor()
    }),
  )
}

test(
  'who edits a page that somebody else has changed keeps their text, and is told',
  browsing(
    async (open) => {
      const project = await forge.project({ owner: user, visibility: 'public' })
      await forge.as(user).post(`/projects/${project.id}/wikis`, { title: 'busy', content: 'one' })
      const page = await open({ user })
      await page.goto(`/${project.full_path}/wikis/-/edit/busy`)
      await forge.as(user).put(`/projects/${project.id}/wikis/busy`, { content: 'theirs' })
      await page.locator('textarea[name=content]').fill('mine')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Someone edited the page the same time you did').first().waitFor()
      await expect.poll(() => page.locator('textarea[name=content]').inputValue()).toBe('mine')
    },
    { expected: /409|422/ },
  ),
)

const addressesIn = ({ full_path }: TestProject) => {
  const base = `/${full_path}/wikis`
  const works = ['-/pages', '-/new', '-/edit/home', '-/history/home', 'no/such/page']
  return [
    ...['home', 'guides/set-up', 'guides/formats/org-page'].map((slug) => `${base}/${slug}`),
    ...works.map((work) => `${base}/${work}`),
  ]
}

test.each(['narrow', 'phone', 'desktop'] as const)(
  'pages of wikis have no accessibility violation and do not scroll sideways: %s',
  inFullRun(
    '48 times axe. pages.test.ts looks at each of these pages with axe, in light, and at their widths; here are hard texts, both colours and more windows.',
  ),
  (width: Width) =>
    browsing(
      async (open) => {
        const wiki = await shownWiki()
        for (const dark of [false, true]) {
          const page = await open({ user, width, dark })
          for (const address of addressesIn(wiki)) {
            await page.goto(address)
            expect([address, await axeOf(page)]).toEqual([address, []])
            await noSidewaysScroll(page, width)
            const folder = process.env.GITSTEAD_TEST_GALLERY
            const name = address.slice(wiki.full_path.length + 8).replaceAll(/\W+/g, '-')
            if (folder) await page.screenshot({ path: join(folder, `${name}.${width}.${dark ? 'dark' : 'light'}.png`), fullPage: true })
          }
        }
      },
      { expected: /404/ },
    )(),
)
