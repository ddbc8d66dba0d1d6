/** Searching with a browser: the page with its kinds, and the palette, which finds projects, people, issues, requests and files. */
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { tendIndexJob } from '../../src/features/search/code-index/code-index.jobs.ts'
import type { TestProject, TestUser } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge, type Width } from './support.ts'

const password = 'correct horse battery'

let user: TestUser
let project: TestProject

beforeAll(async () => {
  const forge = await servedForge()
  user = await forge.user({ password, username: 'marsupialist', name: 'Mara Supial' })
  const group = await forge.group({ owner: user, path: 'marsupials', name: 'Marsupials' })
  const long = `export const aVeryLongNameThatNobodyBreaks = [${Array.from({ length: 60 }, (_, index) => `'wombat-${index}'`).join(', ')}]`
  project = await forge.project({
    group,
    path: 'burrow',
    name: 'Burrow',
    commits: [
      {
        message: 'Count each wombat once',
        files: {
          'src/wombats/count.ts': `import { read } from './read.ts'\n\n/** How many wombats there are. */\nexport function countWombats(text: string): number {\n  return read(text).filter(({ kind }) => kind === 'wombat').length\n}\n`,
          'src/wombats/names.ts': `${long}\n`,
          'docs/a-rather-long-folder-name/and-another-one-below-it/wombat-facts.md': '# Facts\n\nA wombat digs.\n',
        },
      },
    ],
  })
  await git(project.dir, 'branch', 'wombat-digging', 'main')
  const as = forge.as(user)
  await as.post(`/projects/${project.id}/issues`, { title: 'Wombats are counted twice', description: 'Each **wombat** is there twice.' })
  await as.post(`/projects/${project.id}/issues/1/notes`, { body: 'The wombat that digs is another one.' })
  await as.post(`/projects/${project.id}/milestones`, { title: 'Wombat day', due_date: '2030-01-01' })
  await as.post(`/projects/${project.id}/wikis`, { title: 'Wombat care', content: 'Feed\nthe wombat\ngrass.\n' })
  const snippet = { title: 'Wombat song', file_name: 'song.txt', content: 'wombat, wombat', visibility: 'public' }
  await as.post(`/projects/${project.id}/snippets`, snippet)
  const change = {
    branch: 'wombat-count',
    start_branch: 'main',
    commit_message: 'Count',
    actions: [{ action: 'create', file_path: 'n', content: '1' }],
  }
  await as.post(`/projects/${project.id}/repository/commits`, change)
  await as.post(`/projects/${project.id}/merge_requests`, {
    source_branch: 'wombat-count',
    target_branch: 'main',
    title: 'Count wombats once',
  })
  await tendIndexJob.handle(forge.app, {})
  await forge.drain()
})

/** A folder for screenshots that people look at; none are kept unless it is set. */
const gallery = process.env.GITSTEAD_TEST_GALLERY

const kindsShown = ['blobs', 'issues', 'merge_requests', 'notes', 'milestones', 'wiki_blobs', 'snippet_titles', 'commits', 'refs', 'users']

test.each([
  ['phone', false],
  ['phone', true],
  ['desktop', false],
  ['desktop', true],
  ['narrow', false],
] as Array<[Width, boolean]>)(
  'each kind of result can be read at the width of a %s, dark: %s',
  inFullRun('50 pages, 40 times axe. pages.test.ts looks at the page of the search; the kinds of results share its style.'),
  (width, dark) =>
    browsing(async (open) => {
      const tab = await open({ user, width, dark })
      for (const scope of kindsShown) {
        const words = scope === 'users' ? 'mara' : 'wombat'
        await tab.goto(`/search?search=${words}&project_id=${project.id}&scope=${scope}`)
        await expect.poll(async () => [scope, await tab.getByText(/\d+ \S+( \S+)? found|[Nn]o/).count()]).not.toEqual([scope, 0])
        await noSidewaysScroll(tab, width)
        if (width !== 'narrow') expect([scope, await axeOf(tab)]).toEqual([scope, []])
        if (gallery)
          await tab.screenshot({ path: join(gallery, `search-${scope}-${width}-${dark ? 'dark' : 'light'}.png`), fullPage: true })
      }
    })(),
)

test(
  'a search goes from everywhere into a project, from kind to kind, and to the line that was found',
  inFullRun('1 s of processor. The pages of the search have tests of their own; the palette goes to each kind.'),
  browsing(async (open) => {
    const tab = await open({ user })
    await tab.goto('/')
    await tab.getByRole('searchbox', { name: 'Search' }).first().fill('wombat')
    await tab.keyboard.press('Enter')
    await tab.waitForURL('**/search?search=wombat')
    await tab.getByRole('link', { name: /^Code/ }).click()
    await tab.waitForURL('**scope=blobs**')
    await tab.getByRole('searchbox', { name: 'Search' }).last().fill('count\\w+\\(text')
    await tab.getByLabel('Regular expression').check()
    await tab.getByRole('button', { name: 'Find' }).click()
    await tab.waitForURL('**regex=true**')
    await tab.locator('mark', { hasText: 'countWombats(text' }).waitFor()
    expect(await axeOf(tab)).toEqual([])
    if (gallery) {
      for (const width of [1280, 375]) {
        await tab.setViewportSize({ width, height: 800 })
        await tab.screenshot({ path: join(gallery, `search-regex-${width}.png`), fullPage: true })
      }
    }
    await tab.goto(`/search?search=wombat&project_id=${project.id}`)
    await tab.getByRole('link', { name: /^Wiki/ }).click()
    await tab.getByRole('link', { name: 'Wombat-care.md' }).click()
    await tab.waitForURL('**/wikis/Wombat-care')
    await tab.goBack()
    await tab.getByRole('link', { name: /^Code/ }).click()
    await tab.locator('.hits pre a', { hasText: /^4$/ }).first().click()
    await tab.waitForURL(`**/${project.full_path}/blob/main/src/wombats/count.ts#L4`)
  }),
)

test(
  'the field of the header searches the project of the page, opens the first kind that has hits, and counts the others',
  inFullRun('1 s of processor. `search.pages.test.ts` opens the first kind that has hits.'),
  browsing(async (open) => {
    const tab = await open({ user })
    await tab.goto(`/${project.full_path}`)
    await tab.keyboard.press('/')
    await tab.keyboard.type('twice')
    await tab.keyboard.press('Enter')
    await tab.waitForURL(`**/search?project_id=${project.id}&search=twice`)
    await tab.getByRole('link', { name: 'Wombats are counted twice' }).waitFor()
    await expect.poll(() => tab.locator('.tabs [aria-current]').innerText()).toMatch(/^Issues\s+1$/)
    await tab.goto(`/${project.full_path}`)
    await tab.getByLabel('In Burrow').uncheck()
    await tab.getByRole('searchbox', { name: 'Search' }).first().fill('wombat')
    await tab.keyboard.press('Enter')
    await tab.waitForURL('**/search?search=wombat')
    await expect.poll(() => tab.locator('.tabs [aria-current]').innerText()).toMatch(/^Issues\s+1$/)
    await expect.poll(() => tab.locator('#found-snippet_titles').innerText()).toBe('1')
  }),
)

test(
  'the palette finds a project, a person, an issue, a merge request and a file of the project, each with where it is',
  browsing(async (open) => {
    const tab = await open({ user })
    const choices: Array<[typed: string, option: RegExp, address: string]> = [
      ['burrow', /marsupials\/burrow.*Project/, `**/${project.full_path}`],
      ['mara su', /Mara Supial @marsupialist.*Person/, '**/marsupialist'],
      ['counted twice', /Wombats are counted twice.*Issue/, `**/${project.full_path}/issues/1`],
      ['wombats once', /Count wombats once.*Merge request/, `**/${project.full_path}/merge_requests/1`],
      ['names.ts', /src\/wombats\/names\.ts.*File/, `**/${project.full_path}/blob/main/src/wombats/names.ts`],
    ]
    for (const [typed, option, address] of choices) {
      await tab.goto(`/${project.full_path}`)
      await tab.keyboard.press('Control+k')
      const dialog = tab.getByRole('dialog', { name: 'Palette' })
      await dialog.waitFor()
      await tab.keyboard.type(typed)
      await dialog.getByRole('option', { name: option }).first().waitFor()
      await dialog.getByRole('option', { name: option }).first().click()
      await tab.waitForURL(address)
    }
  }),
)
