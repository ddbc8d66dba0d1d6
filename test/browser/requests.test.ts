/** Merge requests in a browser: proposed, merged, closed and changed together, by mouse, by keyboard and without scripts. */
import { beforeAll, expect, test } from 'vitest'
import type { Forge, TestProject, TestUser } from '../support/forge.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { handOf, tierOf, ways } from './hands.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge } from './support.ts'

const password = 'correct horse battery'
let forge: Forge
let user: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await servedForge()
  user = await forge.user({ password, name: 'Ines Duarte' })
  project = await forge.project({ owner: user, visibility: 'public', files: { 'README.md': 'one\n' } })
})

async function branch(of: TestProject, name: string): Promise<void> {
  const actions = [{ action: 'create', file_path: `${name}.txt`, content: `${name}\n` }]
  const commit = { branch: name, start_branch: 'main', commit_message: `Add ${name}`, actions }
  expect((await forge.as(user).post(`/projects/${of.id}/repository/commits`, commit)).status).toBe(201)
}

const requestOf = async (of: TestProject, iid: number | string) =>
  (await forge.as(user).get(`/projects/${of.id}/merge_requests/${iid}`)).body

for (const [index, way] of ways.entries()) {
  test(
    `a branch is proposed from the list of branches, discussed and merged: ${way.name}`,
    tierOf(way),
    browsing(async (open) => {
      const name = `topic-${index}`
      await branch(project, name)
      const list = `/${project.full_path}/merge_requests`
      const hand = await handOf(way, open, { user })
      await hand.open(`/${project.full_path}/branches`)
      await hand.follow(`${list}/new?merge_request%5Bsource_branch%5D=${name}`)
      await hand.send(list, { title: `Add it, ${way.name}`, description: 'Because it is **missing**.' })
      await hand.arrive(/\/merge_requests\/\d+$/)
      const address = new URL(hand.page.url()).pathname
      const iid = address.slice(address.lastIndexOf('/') + 1)
      await hand.page.getByText('Ready to merge').waitFor()
      // The last button of the form is "Comment and close".
      await hand.send(`${address}/notes`, { body: 'Not yet.' })
      await hand.page.locator('.state.closed').waitFor()
      await hand.send(`${address}/state`)
      await hand.page.locator('.state.opened').waitFor()
      await hand.send(`${address}/merge`, { should_remove_source_branch: true })
      await hand.page.locator('.state.merged').waitFor()
      await hand.page.getByText('Source branch deleted.').waitFor()
      expect(await requestOf(project, iid)).toMatchObject({ state: 'merged', source_branch: name, user_notes_count: 1 })
      await hand.open(`/${project.full_path}/blob/main/${name}.txt`)
    }),
  )
}

test(
  'what was just pushed is offered, and the offer leads to a merge request',
  browsing(async (open) => {
    await branch(project, 'pushed')
    const page = await open({ user, width: 'phone' })
    await page.goto(`/${project.full_path}`)
    await page.getByRole('link', { name: 'Create a merge request' }).click()
    await page.getByRole('button', { name: 'Create the merge request' }).click()
    await page.getByText(/Merge request !\d+ created/).waitFor()
  }),
)

test(
  'keys select merge requests of the list, which are changed together; one is found again by its state',
  inFullRun('1 s of processor. `issues.test.ts` selects rows by the same keys.'),
  browsing(async (open) => {
    const own = await forge.project({ owner: user, visibility: 'public', files: { 'README.md': 'one\n' } })
    for (const name of ['first', 'second', 'third']) {
      await branch(own, name)
      await forge.mergeRequest(own, user, { source_branch: name, title: `Add ${name}` })
    }
    const page = await open({ user })
    await page.goto(`/${own.full_path}/merge_requests`)
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
    await page.getByText('2 selected').first().waitFor()
    await page.locator('#many-state_event').selectOption('close')
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByText('2 merge requests are changed.').waitFor()
    expect(await Promise.all([1, 2, 3].map(async (iid) => (await requestOf(own, iid)).state))).toEqual(['opened', 'closed', 'closed'])
    await page.getByRole('link', { name: 'Closed 2' }).click()
    await page.getByRole('link', { name: 'Add third' }).waitFor()
  }),
)

test(
  'a draft is made ready and a merge request completed after !',
  browsing(async (open) => {
    await branch(project, 'draft')
    const { iid } = await forge.mergeRequest(project, user, { source_branch: 'draft', title: 'Draft: Tell it <all>' })
    const page = await open({ user })
    await page.goto(`/${project.full_path}/merge_requests/${iid}`)
    await page.getByText('This merge request is a draft.').waitFor()
    await page.locator('.obstacles').getByRole('button', { name: 'Mark as ready' }).click()
    await page.getByText('Ready to merge').waitFor()
    const comment = page.locator('#new-body')
    await comment.pressSequentially('!Tell')
    await page.locator('.choices [role="option"][aria-selected="true"]').waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await comment.inputValue()).trim()).toBe(`!${iid}`)
  }),
)

test(
  'pages of merge requests are accessible and fit narrow windows, light and dark',
  inFullRun(
    '12 times axe. pages.test.ts looks at each of these pages with axe, in light, and at their widths; here are hard texts, both colours and more windows.',
  ),
  browsing(async (open) => {
    const own = await forge.project({ owner: user, visibility: 'public', files: { 'README.md': 'one\n' } })
    const name = `long-${'w'.repeat(100)}`
    await branch(own, name)
    const description = `\`${'x'.repeat(300)}\`\n\n| a | b |\n|---|---|\n| 1 | 2 |`
    const { iid } = await forge.mergeRequest(own, user, { source_branch: name, title: `Draft: ${'W'.repeat(120)}`, description })
    const list = `/${own.full_path}/merge_requests`
    const chosen = `${list}/new?merge_request%5Bsource_branch%5D=${name}`
    for (const dark of [false, true]) {
      const page = await open({ user, dark })
      for (const path of [list, `${list}/${iid}`, `${list}/${iid}/commits`, `${list}/new`, chosen, `${list}/${iid}/edit`]) {
        await page.setViewportSize({ width: 1280, height: 800 })
        await page.goto(path)
        expect([path, await axeOf(page)]).toEqual([path, []])
        await noSidewaysScroll(page, 'narrow')
      }
    }
  }),
)

test(
  'the header and the tabs of a group say how much is open, and a to-do item that is done no longer counts',
  inFullRun('1 s of processor. `counts.test.ts` reads the numbers without a browser.'),
  browsing(async (open) => {
    const counted = await forge.user({ password })
    const group = await forge.group({ owner: counted, visibility: 'public' })
    const own = await forge.project({ group, visibility: 'public', files: { 'README.md': 'one\n' } })
    const issue = await forge.issue(own, counted)
    await forge.as(counted).post(`/projects/${own.id}/issues/${issue.iid}/todo`)
    const page = await open({ user: counted })
    await page.goto(`/groups/${group.full_path}`)
    await page.locator('nav[aria-label="Group"] a', { hasText: 'Issues' }).locator('.count', { hasText: '1' }).waitFor()
    const badge = page.locator('.own-places [data-count="todos"] .count')
    await badge.getByText('1', { exact: true }).waitFor()
    expect(await axeOf(page)).toEqual([])
    await page.goto('/dashboard/todos')
    await badge.waitFor()
    await page.getByRole('button', { name: 'Done' }).first().click()
    await badge.waitFor({ state: 'detached' })
    await noSidewaysScroll(page, 'narrow')
  }),
)
