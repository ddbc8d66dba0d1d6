/** Journeys through projects in a real browser: create, look, fork, change, delete; by mouse, by keyboard alone, and without script. */
import { expect, test } from 'vitest'
import { inFullRun } from '../support/run/tiers.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge } from './support.ts'

const password = 'correct horse battery'
const files = { 'README.md': '# Shapes\n\nCircles and squares.\n', 'src/a.ts': 'export const a = 1\n', LICENSE: 'MIT\n' }

test(
  'a project is created, starred, described and deleted by mouse',
  browsing(async (open) => {
    const forge = await servedForge()
    const user = await forge.user({ password })
    const page = await open({ user })
    await page.goto('/projects/new')
    await page.getByLabel('Name', { exact: true }).fill('Analytical Engine')
    await page.getByLabel('Public', { exact: true }).check()
    await page.getByLabel('Begin with a README').check()
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.waitForURL(`**/${user.username}/analytical-engine`)
    await page.getByRole('link', { name: 'README.md' }).first().waitFor()
    await page.getByRole('button', { name: 'Star' }).click()
    await page.getByRole('button', { name: 'Unstar' }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Description').fill('It weaves algebra')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('Settings saved').waitFor()
    await page.getByText('Delete the project').click()
    await page.getByLabel(/to confirm/).fill(`${user.username}/analytical-engine`)
    await page.getByRole('button', { name: 'Delete project' }).click()
    await page.locator('.notice', { hasText: 'deleted' }).waitFor()
  }),
)

test(
  'a project is created by keyboard alone',
  inFullRun('A project is created by mouse above.'),
  browsing(async (open) => {
    const forge = await servedForge()
    const user = await forge.user({ password })
    const page = await open({ user })
    await page.goto('/projects/new')
    // The first field has the focus already; Enter sends the form.
    await page.keyboard.type('By keys')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/${user.username}/by-keys`)
    await page.getByText('This repository is empty').waitFor()
  }),
)

test(
  'an empty project shows the commands of one protocol, copies them, and its files once they are pushed',
  browsing(async (open) => {
    const forge = await servedForge()
    const owner = await forge.user({ password })
    const project = await forge.project({ owner, files: null })
    const page = await open({ user: owner })
    await page.goto(`/${project.full_path}`)
    const commands = page.locator('.copy.block').first()
    await commands.getByRole('button', { name: 'Copy' }).click()
    await commands.getByRole('button', { name: /Copied|Ctrl/ }).waitFor()
    const actions = [{ action: 'create', file_path: 'first.txt', content: 'x' }]
    await forge.as(owner).post(`/projects/${project.id}/repository/commits`, { branch: 'main', commit_message: 'First', actions })
    await page.getByRole('link', { name: 'first.txt' }).waitFor()
  }),
)

for (const script of [true, false])
  test(
    `a fork shows how far it is and leads to its page, with script: ${script}`,
    inFullRun('1 s of processor. `edit.test.ts` of projects forks and links.'),
    browsing(async (open) => {
      const forge = await servedForge()
      const source = await forge.project({ visibility: 'public', name: `Source ${script}`, path: `source-${script}`, commits: [{ files }] })
      const user = await forge.user({ password })
      const page = await open({ user, script })
      await page.goto(`/${source.full_path}`)
      await page.getByRole('link', { name: 'Fork', exact: true }).click()
      await page.getByRole('button', { name: 'Fork' }).click()
      // The page of the progress looks again by itself until the work has ended.
      await page.waitForURL(`**/${user.username}/${source.path}`, { timeout: 60_000 })
      await page.getByText('Circles and squares').waitFor()
    }),
  )

test(
  'a member is found by part of a name, added and removed, on a phone without script',
  inFullRun('1 s of processor. `issues.test.ts` completes names, and the form has a test without a browser.'),
  browsing(async (open) => {
    const forge = await servedForge()
    const [owner, other] = [await forge.user({ password }), await forge.user({ name: 'Grace Murray Hopper' })]
    const project = await forge.project({ owner, files: null })
    const page = await open({ user: owner, script: false, width: 'phone' })
    await page.goto(`/${project.full_path}/project_members`)
    await page.getByText('Add a member').click()
    await page.getByLabel('Person').fill('Grace Murr')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('button', { name: 'Add Grace Murray Hopper' }).click()
    await page.getByText('Grace Murray Hopper is now a member').waitFor()
    await page.getByText('Change Grace Murray Hopper').click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('is no longer a member').waitFor()
    expect(other.id).toBeGreaterThan(0)
  }),
)

test(
  'the code of a project begins in the upper third of a desktop window; empty and refused pages are accessible',
  inFullRun('1 s of processor. `pages.test.ts` looks at each page with axe and at its width.'),
  browsing(async (open) => {
    const forge = await servedForge()
    const [owner, guest] = [await forge.user({ password }), await forge.user({ password })]
    const project = await forge.project({ owner, guest, name: 'Shapes', commits: [{ files }] })
    const page = await open({ user: owner })
    await page.goto(`/${project.full_path}`)
    const box = await page.locator('.last-commit').boundingBox()
    expect(box?.y).toBeLessThan(800 / 3)
    const empty = await forge.project({ owner, files: null })
    await page.goto(`/${empty.full_path}`)
    expect(await axeOf(page)).toEqual([])
    await noSidewaysScroll(page, 'narrow')
    const outside = await open({ user: guest, dark: true })
    expect((await outside.goto(`/${project.full_path}/edit`))?.status()).toBe(403)
    expect(await axeOf(outside)).toEqual([])
  }),
)
