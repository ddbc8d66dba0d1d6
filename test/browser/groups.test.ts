/** Groups and lists in a real browser: a tree that opens, forms, filters, without script, and two tabs that change the same thing. */
import { expect, test } from 'vitest'
import { inFullRun } from '../support/run/tiers.ts'
import { withoutScript } from './hands.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge } from './support.ts'

const password = 'correct horse battery'

async function toolbox() {
  const forge = await servedForge()
  const owner = await forge.user({ password })
  const group = await forge.group({ owner, visibility: 'public', name: 'Toolbox' })
  const sub = await forge.group({
    owner,
    visibility: 'public',
    parent: group,
    name: 'Hammers and very long names of groups that have to wrap',
  })
  await forge.project({ owner, group: sub, visibility: 'public', name: 'Sledge', files: null })
  await forge.project({ owner, group, visibility: 'public', name: 'Box', files: null })
  return { forge, owner, group, sub }
}

test(
  'a subgroup opens in its place by mouse and by keyboard, and is accessible when open',
  inFullRun('1 s of processor. The list without script is in `lists.test.ts`; axe sees the page in `pages.test.ts`.'),
  browsing(async (open) => {
    const { group } = await toolbox()
    const page = await open()
    await page.goto(`/groups/${group.full_path}`)
    const opener = page.getByRole('button', { name: /^Show what is in Hammers/ })
    await opener.click()
    await page.getByRole('link', { name: 'Sledge' }).waitFor()
    await expect.poll(() => opener.getAttribute('aria-expanded')).toBe('true')
    expect(await axeOf(page)).toEqual([])
    await noSidewaysScroll(page, 'narrow')
    await opener.focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('link', { name: 'Sledge' }).isVisible()).toBe(false)
    await page.keyboard.press(' ')
    await expect.poll(() => page.getByRole('link', { name: 'Sledge' }).isVisible()).toBe(true)
  }),
)

test(
  'without script a subgroup opens as a page, and a list is filtered by its form',
  withoutScript,
  browsing(async (open) => {
    const { group } = await toolbox()
    const page = await open({ script: false, width: 'phone' })
    await page.goto(`/groups/${group.full_path}`)
    await page.getByRole('link', { name: /^Show what is in Hammers/ }).click()
    await page.waitForURL('**/-/children?parent_id=*')
    await expect.poll(() => page.getByRole('link', { name: 'Sledge' }).isVisible()).toBe(true)
    await page.goto(`/groups/${group.full_path}`)
    await page.getByLabel('Find by name').fill('sledge')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.waitForURL('**filter=sledge*')
    await expect.poll(() => page.getByRole('link', { name: /Sledge$/ }).isVisible()).toBe(true)
    await noSidewaysScroll(page, 'narrow')
  }),
)

test(
  'an owner creates a group, corrects an error, changes it and deletes it by keyboard alone',
  browsing(async (open) => {
    const { owner, group } = await toolbox()
    const page = await open({ user: owner })
    await page.goto('/groups/new')
    // The field is focused with the first frame; what is typed before goes nowhere.
    await page.locator('input[name="name"]:focus').waitFor()
    await page.keyboard.type('Workbench')
    await page.keyboard.press('Tab')
    await page.keyboard.type(group.full_path)
    await page.keyboard.press('Enter')
    await page.getByText('Path has already been taken').waitFor()
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Workbench')
    await page.getByLabel('Path').fill('workbench')
    await page.keyboard.press('Enter')
    await page.getByText('Group Workbench created').waitFor()
    await page.getByRole('link', { name: 'Settings' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Description').fill('A place to work')
    await page.getByRole('button', { name: 'Save changes' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Changes saved').waitFor()
    await page.getByText('Delete group', { exact: true }).first().focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Type workbench to confirm').fill('workbench')
    await page.keyboard.press('Enter')
    await page.getByText('Group Workbench is being deleted.').waitFor()
  }),
)

test(
  'of two tabs that rename a group, the second learns that it has moved, and keeps its text',
  inFullRun('1 s of processor. `live.test.ts` has two tabs that change a file, `wikis.test.ts` a page.'),
  browsing(async (open) => {
    const { owner, group } = await toolbox()
    const [one, other] = [await open({ user: owner }), await open({ user: owner })]
    for (const page of [one, other]) {
      await page.goto(`/groups/${group.full_path}/-/edit`)
      await page.getByText('Change path', { exact: true }).first().click()
    }
    await one.getByLabel('Path').fill(`${group.path}-one`)
    await one.getByRole('button', { name: 'Change path' }).click()
    await one.getByText(`The group is now at ${group.path}-one.`).waitFor()
    await other.getByLabel('Path').fill(`${group.path}-other`)
    await other.getByRole('button', { name: 'Change path' }).click()
    await other.getByRole('alert').filter({ hasText: 'It may have been moved or deleted' }).waitFor()
    await expect.poll(() => other.getByLabel('Path').inputValue()).toBe(`${group.path}-other`)
    expect((await one.reload())?.status()).toBe(200)
  }),
)

test(
  'the search is reached, filtered and followed on a phone in the dark',
  inFullRun('search.test.ts searches by mouse, and pages.test.ts looks at the page of a group.'),
  browsing(async (open) => {
    const { owner, group } = await toolbox()
    const page = await open({ user: owner, width: 'phone', dark: true })
    await page.goto('/search')
    await page.locator('main').getByLabel('Search', { exact: true }).fill('toolbox')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Groups' }).last().click()
    await page.getByRole('link', { name: group.full_path, exact: true }).click()
    await page.waitForURL(`**/groups/${group.full_path}`)
    expect(await axeOf(page)).toEqual([])
  }),
)
