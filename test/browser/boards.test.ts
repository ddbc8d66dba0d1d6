/** Boards and to-do items in a browser: cards dragged with a mouse, moved by a menu with the keyboard, and work marked as done. */
import { beforeAll, expect, test } from 'vitest'
import type { Forge, TestProject, TestUser } from '../support/forge.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge } from './support.ts'

const password = 'correct horse battery'
let forge: Forge
let user: TestUser
let project: TestProject
let board: string
let lists: number[]

beforeAll(async () => {
  forge = await servedForge()
  user = await forge.user({ password, name: 'Ines Duarte' })
  const group = await forge.group({ owner: user })
  project = await forge.project({ group })
  const as = forge.as(user)
  const { body } = await as.post(`/projects/${project.id}/boards`, { name: 'Development' })
  board = `/${project.full_path}/boards/${body.id}`
  lists = []
  for (const [name, color] of [
    ['To do', '#3f7cac'],
    ['Doing', '#d9534f'],
    ['In review by somebody else', '#1a7f37'],
  ]) {
    const label = await as.post(`/projects/${project.id}/labels`, { name, color })
    const list = await as.post(`/projects/${project.id}/boards/${body.id}/lists`, { label_id: label.body.id })
    lists.push(list.body.id)
  }
})

const labelsOf = async (iid: number) => (await forge.as(user).get(`/projects/${project.id}/issues/${iid}`)).body.labels

test(
  'a card is dragged to another column with a mouse; it is there, and that is said; what others move is shown, but not under an open menu',
  browsing(async (open) => {
    const issue = await forge.issue(project, user, { title: 'Drag me' })
    const page = await open({ user })
    await page.goto(board)
    await page.locator(`#card-${issue.id}`).dragTo(page.locator(`[data-column="${lists[1]}"]`))
    await page.getByRole('status').getByText('Drag me is in Doing now.').waitFor()
    await page.locator(`[data-column="${lists[1]}"] #card-${issue.id}`).waitFor()
    expect(await labelsOf(issue.iid)).toEqual(['Doing'])
    const menu = page.locator(`#card-${issue.id} summary`)
    await menu.focus()
    await page.keyboard.press('Enter')
    const changed = page.evaluate(
      "new Promise((resolve) => document.addEventListener('changed', () => resolve('changed'), { once: true }))",
    )
    await forge.as(user).put(`/projects/${project.id}/issues/${issue.iid}`, { labels: 'To do' })
    expect(await changed).toBe('changed')
    await page.locator(`[data-column="${lists[1]}"] #card-${issue.id} details[open]`).waitFor()
    await page.keyboard.press('Escape')
    await page.locator(`[data-column="${lists[0]}"] #card-${issue.id}`).waitFor()
  }),
)

test(
  'the menu of a card moves it with the keyboard alone, and that is said',
  browsing(async (open) => {
    const issue = await forge.issue(project, user, { title: 'Type me' })
    const page = await open({ user })
    await page.goto(board)
    const card = page.locator(`#card-${issue.id}`)
    await card.locator('summary').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('To do')
    await expect.poll(() => card.locator('select').inputValue()).toBe(String(lists[0]))
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Type me is in To do now.').waitFor()
    await page.locator(`[data-column="${lists[0]}"] #card-${issue.id}`).waitFor()
    expect(await labelsOf(issue.iid)).toEqual(['To do'])
  }),
)

test(
  'a to-do item is marked as done, and put back',
  browsing(async (open) => {
    const issue = await forge.issue(project, user, { title: 'Call back' })
    await forge.as(user).post(`/projects/${project.id}/issues/${issue.iid}/todo`)
    const page = await open({ user })
    await page.goto('/dashboard/todos')
    await page.getByRole('button', { name: /Done.*Call back/ }).click()
    await page.getByText('1 to-do item marked as done.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('1 to-do item put back.').waitFor()
    await page.getByRole('button', { name: /Done.*Call back/ }).waitFor()
  }),
)

test(
  'pages of planning are accessible and fit narrow windows, light and dark',
  inFullRun(
    '26 times axe. pages.test.ts looks at each of these pages with axe, in light, and at their widths; here are hard texts, both colours and more windows.',
  ),
  browsing(async (open) => {
    const as = forge.as(user)
    const milestone = await as.post(`/projects/${project.id}/milestones`, {
      title: `Version ${'W'.repeat(80)}`,
      description: `\`${'x'.repeat(200)}\``,
      due_date: '2030-01-01',
    })
    const label = await as.post(`/projects/${project.id}/labels`, {
      name: `long ${'l'.repeat(100)}`,
      color: 'teal',
      description: 'd'.repeat(200),
    })
    for (const title of ['W'.repeat(120), 'Tide tables are printed without the year', 'Harbours in the south are off by an hour'])
      await forge.issue(project, user, {
        title,
        milestone_id: milestone.body.id,
        label_ids: [label.body.id],
        assignee_ids: [user.id],
        due_date: '2026-12-24',
      })
    await as.post(`/projects/${project.id}/issues/1/todo`)
    const base = `/${project.full_path}`
    const group = `/groups/${project.namespace_full_path}/-`
    const paths = [
      board,
      `${base}/labels`,
      `${base}/labels/new`,
      `${base}/milestones`,
      `${base}/milestones/1`,
      `${base}/milestones/1/edit`,
      `${group}/issues`,
      `${group}/boards`,
      `${group}/labels`,
      `${group}/milestones`,
      '/dashboard/issues',
      '/dashboard/milestones',
      '/dashboard/todos',
    ]
    for (const dark of [false, true]) {
      const page = await open({ user, dark })
      for (const path of paths) {
        await page.setViewportSize({ width: 1280, height: 800 })
        await page.goto(path)
        expect([path, await axeOf(page)]).toEqual([path, []])
        await noSidewaysScroll(page, 'phone')
        await noSidewaysScroll(page, 'narrow')
      }
    }
  }),
)
