/** Branches, tags, releases and settings of a repository, as people do them: by mouse, by keyboard alone, and without script. */
import { expect, test } from 'vitest'
import { fixturePassword as password } from '../support/fixtures/page-fixture.ts'
import type { Forge, TestProject, TestUser } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { withoutScript } from './hands.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge } from './support.ts'

async function seeded(): Promise<{ forge: Forge; user: TestUser; project: TestProject; at: (rest: string) => string }> {
  const forge = await servedForge()
  const user = await forge.user({ password })
  const project = await forge.project({ maintainer: user, commits: [{ files: { 'README.md': '# Shapes\n' } }, { files: { a: 'a' } }] })
  await git(project.dir, 'branch', 'old', 'main~1')
  await git(project.dir, 'branch', `feature/${'x'.repeat(120)}`, 'main')
  await git(project.dir, 'tag', '-m', 'First', 'v1', 'main')
  return { forge, user, project, at: (rest) => `/${project.full_path}/${rest}` }
}

for (const script of [true, false]) {
  test(
    `a branch is created, compared with the default one and deleted ${script ? 'with' : 'without'} script`,
    script ? {} : withoutScript,
    browsing(async (open) => {
      const { user, project, at } = await seeded()
      const page = await open({ user, script })
      await page.goto(at('branches'))
      await page.getByRole('link', { name: 'New branch' }).click()
      await page.getByLabel('Name', { exact: true }).fill('old')
      await page.getByRole('button', { name: 'Create the branch' }).click()
      await page.getByText('Branch already exists').waitFor()
      await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('old')
      await page.getByLabel('Name', { exact: true }).fill('feature/search')
      await page.getByRole('button', { name: 'Create the branch' }).click()
      await page.getByText('Branch feature/search created').waitFor()
      await page.goto(at('branches/all'))
      const row = page.getByRole('listitem').filter({ hasText: 'feature/search' }).first()
      await row.getByText('Delete feature/search').click()
      await row.getByRole('button', { name: 'Delete the branch' }).click()
      await page.getByText('Branch feature/search deleted').waitFor()
      expect(await git(project.dir, 'branch', '--list', 'feature/search')).toBe('')
    }),
  )
}

test(
  'a tag is created with the keyboard alone',
  inFullRun('1 s of processor. A branch is created above; a group is created by keyboard alone.'),
  browsing(async (open) => {
    const { user, project, at } = await seeded()
    const page = await open({ user })
    await page.goto(at('tags/new'))
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('tag_name')
    await page.keyboard.type('v2')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Second release')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Notes')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Tag v2 created').waitFor()
    expect(await git(project.dir, 'tag', '--list', '--format=%(contents:subject)', 'v2')).toBe('Second release')
  }),
)

test(
  'of two tabs that protect the same branch the second is told, and keeps its text',
  inFullRun('1 s of processor. `live.test.ts` has two tabs that change a file, `wikis.test.ts` a page.'),
  browsing(async (open) => {
    const { user, at } = await seeded()
    const page = await open({ user })
    const other = await page.context().newPage()
    for (const tab of [page, other]) {
      await tab.goto(at('protected_branches'))
      await tab.getByText('Protect a branch').click()
      await tab.getByLabel('Name or wildcard').fill('release/*')
    }
    await page.getByRole('button', { name: 'Protect', exact: true }).click()
    await page.getByText('release/* is protected now.').waitFor()
    await other.getByRole('button', { name: 'Protect', exact: true }).click()
    await other.getByText('release/* is protected already.').waitFor()
    await expect.poll(() => other.getByLabel('Name or wildcard').inputValue()).toBe('release/*')
  }),
)

test(
  'a deploy token is shown once',
  inFullRun('Half a second of processor. Tokens are shown once in `people.test.ts` and by the pages of tokens.'),
  browsing(async (open) => {
    const { user, at } = await seeded()
    const page = await open({ user, width: 'phone' })
    await page.goto(at('settings/repository#deploy-tokens'))
    await page.getByText('Create a deploy token').click()
    await page.locator('#token-name').fill('Robot')
    await page.getByRole('button', { name: 'Create the token' }).click()
    await page.getByText('Copy the token now').waitFor()
    const secret = (await page.locator('code', { hasText: 'gstdt-' }).textContent()) ?? ''
    await page.goto(at('deploy_tokens'))
    expect([secret.length > 20, (await page.content()).includes(secret)]).toEqual([true, false])
  }),
)

test(
  'the pages are accessible and fit the narrowest window, in the dark too',
  inFullRun('9 times axe. pages.test.ts looks at each of these pages with axe, in light; here their details are open and it is dark.'),
  browsing(async (open) => {
    const { forge, user, project, at } = await seeded()
    const links = [{ name: 'File', url: 'https://example.com/file' }]
    await forge.as(user).post(`/projects/${project.id}/releases`, { tag_name: 'v1', name: 'One', description: '# New', assets: { links } })
    await forge.as(user).post(`/projects/${project.id}/protected_branches`, { name: 'feature/*' })
    const pages = [
      'branches',
      'branches/all',
      'tags',
      'tags/v1',
      'releases',
      'releases/v1/edit',
      'graphs/main',
      'graphs/main/charts',
      'settings/repository',
    ]
    const page = await open({ user, dark: true })
    for (const address of pages) {
      await page.goto(at(address))
      await page.evaluate("for (const part of document.querySelectorAll('main details')) part.open = true")
      expect([address, await axeOf(page)]).toEqual([address, []])
      await noSidewaysScroll(page, 'narrow')
      await page.setViewportSize({ width: 1280, height: 800 })
    }
  }),
)
