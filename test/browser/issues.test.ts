/** Issues in a browser: reported, discussed, classified and closed, by mouse, by keyboard and without scripts. */
import { beforeAll, expect, test } from 'vitest'
import type { Forge, TestProject, TestUser } from '../support/forge.ts'
import { cpuBudget } from '../support/run/cpu.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { handOf, tierOf, ways } from './hands.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge } from './support.ts'

cpuBudget(7, 'Issues in a browser, with axe.')

const password = 'correct horse battery'
/** A global of functions that run in a page. */
declare const location: { search: string }

let forge: Forge
let user: TestUser
let other: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await servedForge()
  ;[user, other] = await Promise.all([forge.user({ password, name: 'Ines Duarte' }), forge.user({ password, username: 'jonas' })])
  project = await forge.project({ owner: user, developer: other, visibility: 'public' })
  const as = forge.as(user)
  for (const [name, color] of [
    ['bug', '#d9534f'],
    ['two words', '#3f7cac'],
  ])
    await as.post(`/projects/${project.id}/labels`, { name, color })
  await as.post(`/projects/${project.id}/milestones`, { title: 'Version 1' })
})

const last = async () => (await forge.as(user).get(`/projects/${project.id}/issues?state=all`)).body[0]

for (const way of ways) {
  test(
    `an issue is reported, commented on, labelled, closed and found again: ${way.name}`,
    tierOf(way),
    browsing(async (open) => {
      const title = `The clock is late, ${way.name}`
      const list = `/${project.full_path}/issues`
      const hand = await handOf(way, open, { user })
      await hand.open(list)
      await hand.follow(`${list}/new`)
      await hand.send(list, { title, description: 'By **eleven** minutes.' })
      await hand.arrive(/\/issues\/\d+$/)
      const { iid } = await last()
      const page = `${list}/${iid}`
      await hand.page.getByText('eleven').waitFor()
      await hand.send(`${page}/notes`, { body: 'I can see it, too.\n/label ~bug' })
      await hand.page.getByText('I can see it, too.').waitFor()
      // The last button of the form is "Comment and close".
      await hand.page.locator('.state.closed').waitFor()
      expect(await last()).toMatchObject({ title, state: 'closed', labels: ['bug'], user_notes_count: 1 })
      await hand.open(`${list}?state=closed&search=${encodeURIComponent(way.name.split(' ').at(-1) ?? '')}`)
      await hand.page.getByRole('link', { name: title }).waitFor()
    }),
  )
}

test(
  'a list is narrowed by a menu, with the mouse and by keyboard alone, and a chip widens it again',
  browsing(async (open) => {
    const own = await forge.project({ owner: user, developer: other, visibility: 'public' })
    await forge.as(user).post(`/projects/${own.id}/labels`, { name: 'two words', color: '#3f7cac' })
    await forge.as(user).post(`/projects/${own.id}/issues`, { title: 'Mine', labels: 'two words' })
    await forge.issue(own, other, { title: 'Theirs' })
    const page = await open({ user })
    const list = `/${own.full_path}/issues`
    const titles = () => page.locator('.issues .what > a:not(.label)').allInnerTexts()
    const search = () => page.evaluate(() => decodeURIComponent(location.search))
    await page.goto(list)
    expect(await titles()).toEqual(['Theirs', 'Mine'])
    await page.locator('.filter-menu summary', { hasText: 'Labels' }).click()
    await page.getByLabel('two words').click()
    await expect.poll(titles).toEqual(['Mine'])
    expect(await search()).toBe('?label_name[]=two+words')
    await page.getByRole('link', { name: 'Remove the filter Label: two words' }).click()
    await expect.poll(titles).toEqual(['Theirs', 'Mine'])
    await page.keyboard.press('u')
    const field = page.locator('.filter-menu[open]').getByLabel('Author')
    await expect.poll(() => field.evaluate((element) => element.matches(':focus'))).toBe(true)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.filter-menu[open]').count()).toBe(0)
    await page.keyboard.press('u')
    await page.locator('.picks').getByText('jonas').waitFor()
    await page.keyboard.type('jon')
    await page.keyboard.press('Enter')
    await expect.poll(titles).toEqual(['Theirs'])
    expect(await search()).toBe('?author_username=jonas')
  }),
)

test(
  'a reaction is found by a word and added by Enter, and is offered first the next time; people are shown in the chosen skin tone',
  browsing(async (open) => {
    const issue = await forge.issue(project, user, { title: 'React to me' })
    const page = await open({ user })
    await page.goto(`/${project.full_path}/issues/${issue.iid}`)
    const menu = page.locator('.react').first()
    await menu.locator('summary').click()
    const field = menu.getByLabel('Find an emoji')
    await expect.poll(() => field.evaluate((element) => element.matches(':focus'))).toBe(true)
    await page.keyboard.type('launch')
    await menu.getByRole('group', { name: 'Found' }).getByRole('button', { name: 'rocket' }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.reactions button[value="rocket"][aria-pressed="true"]').waitFor()
    await page.reload()
    await menu.locator('summary').click()
    await menu.getByRole('group', { name: 'Recent' }).getByRole('button', { name: 'rocket' }).waitFor()
    await menu.getByRole('group', { name: 'Skin tone' }).getByRole('button').nth(3).click()
    await menu.locator('button[value="thumbsup_tone3"]').click()
    await page.locator('.reactions button[value="thumbsup_tone3"][aria-pressed="true"]', { hasText: '👍🏽' }).waitFor()
  }),
)

test(
  'names are completed in texts and fields; labels are ticked',
  browsing(async (open) => {
    const issue = await forge.issue(project, user, { title: 'Complete me' })
    const page = await open({ user })
    await page.goto(`/${project.full_path}/issues/${issue.iid}`)
    const comment = page.locator('#new-body')
    for (const [typed, chosen] of [
      ['@jon', '@jonas'],
      ['#Compl', `#${issue.iid}`],
      ['~two', '~"two words"'],
      ['%Ver', '%"Version 1"'],
      [':tad', ':tada:'],
      ['/clo', '/close'],
    ] as const) {
      await comment.fill('')
      await comment.pressSequentially(typed)
      // A letter takes the selection away until its own suggestions are there.
      await page.locator('.choices [role="option"][aria-selected="true"]').waitFor()
      await page.keyboard.press('Enter')
      await expect.poll(async () => (await comment.inputValue()).trim()).toBe(chosen)
    }
    await comment.fill('')
    await page.keyboard.press('Escape')
    // The key opens the form and puts the focus into it.
    await page.keyboard.press('l')
    await page.locator('.picks input').first().waitFor()
    expect(await axeOf(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => (await forge.as(user).get(`/projects/${project.id}/issues/${issue.iid}`)).body.labels)
      .toEqual(['bug', 'two words'])
  }),
)

test(
  'a click on a name chooses it, Enter takes the first suggestion, Escape keeps the choice, and a new label asks',
  inFullRun('Half a second of processor. Names are completed and labels ticked by keyboard in the test above.'),
  browsing(async (open) => {
    const issue = await forge.issue(project, user, { title: 'Choose for me' })
    const labels = async () => (await forge.as(user).get(`/projects/${project.id}/issues/${issue.iid}`)).body.labels
    const page = await open({ user })
    await page.goto(`/${project.full_path}/issues/${issue.iid}`)
    const field = page.getByLabel('Names')
    await page.keyboard.press('l')
    await page.locator('.picks').getByText('bug').click()
    await expect.poll(() => field.inputValue()).toBe('bug')
    await field.pressSequentially(', tw')
    await field.press('Enter')
    await expect.poll(() => field.inputValue()).toBe('bug, two words')
    await field.press('Escape')
    await expect.poll(async () => [await page.locator('.picks').count(), await field.inputValue()]).toEqual([0, 'bug, two words'])
    await page.locator('.edit[open]').getByRole('button', { name: 'Save' }).click()
    await expect.poll(labels).toEqual(['bug', 'two words'])
    // The page that the form leads to has it closed.
    await expect.poll(() => page.locator('.edit[open]').count()).toBe(0)
    // Its script may not listen to keys at once.
    await expect.poll(() => page.keyboard.press('l').then(() => page.locator('.edit[open]').count())).toBe(1)
    await field.fill('half')
    await field.press('Enter')
    await page.getByText('have no label yet: “half”').waitFor()
    expect(await labels()).toEqual(['bug', 'two words'])
    await page.getByLabel('Create new labels').check()
    await page.locator('.edit[open]').getByRole('button', { name: 'Save' }).click()
    await expect.poll(labels).toEqual(['half'])
  }),
)

test(
  'keys lead to a comment, an answer that quotes, a new issue, and select rows of the list that are changed together',
  browsing(async (open) => {
    const own = await forge.project({ owner: user, visibility: 'public' })
    const issues = [await forge.issue(own, user, { title: 'One' }), await forge.issue(own, user, { title: 'Two' })]
    const address = `/${own.full_path}/issues`
    await forge.as(user).post(`/projects/${own.id}/issues/1/discussions`, { body: 'Quote these words' })
    const page = await open({ user })
    await page.goto(`${address}/1`)
    await page.keyboard.press('c')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('new-body')
    // On a page of its own: the key before focuses its field once more, after the page has moved to it, and what is selected would be lost.
    await page.goto(address)
    await page.goto(`${address}/1`)
    const select = () => page.evaluate(`getSelection().selectAllChildren(document.querySelector('.thread .prose'))`)
    await expect.poll(() => select().then(() => page.locator('.reply > summary[data-key="r"]').count())).toBe(1)
    await page.keyboard.press('r')
    await expect.poll(() => page.locator('.reply textarea').inputValue()).toBe('> Quote these words\n\n')
    await page.keyboard.press('Escape')
    await page.goto(address)
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByText('2 selected').first().waitFor()
    await page.locator('#many-state_event').selectOption('close')
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByText('2 issues are changed.').waitFor()
    for (const { iid } of issues) expect((await forge.as(user).get(`/projects/${own.id}/issues/${iid}`)).body.state).toBe('closed')
    await page.keyboard.press('i')
    await page.waitForURL('**/issues/new')
  }),
)

test(
  'an open page shows what others write, and keeps what is being typed',
  browsing(async (open) => {
    const issue = await forge.issue(project, user, { title: 'Live' })
    const page = await open({ user })
    await page.goto(`/${project.full_path}/issues/${issue.iid}`)
    await page.locator('#new-body').fill('Half a sentence')
    await forge.as(other).post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body: 'From somebody else' })
    await page.getByText('From somebody else').waitFor()
    await expect.poll(() => page.locator('#new-body').inputValue()).toBe('Half a sentence')
  }),
)

test(
  'pages of issues are accessible and fit narrow windows, light and dark',
  inFullRun(
    '8 times axe. pages.test.ts looks at each of these pages with axe, in light, and at their widths; here are hard texts, both colours and more windows.',
  ),
  browsing(async (open) => {
    const issue = await forge.issue(project, user, {
      title: 'W'.repeat(120),
      description: `\`${'x'.repeat(300)}\`\n\n| a | b |\n|---|---|\n| 1 | 2 |`,
    })
    const address = `/${project.full_path}/issues`
    await forge.as(other).post(`/projects/${project.id}/issues/${issue.iid}/discussions`, { body: 'y'.repeat(300) })
    for (const dark of [false, true]) {
      const page = await open({ user, dark })
      for (const path of [address, `${address}/${issue.iid}`, `${address}/new`, `${address}/${issue.iid}/edit`]) {
        await page.setViewportSize({ width: 1280, height: 800 })
        await page.goto(path)
        expect([path, await axeOf(page)]).toEqual([path, []])
        await noSidewaysScroll(page, 'narrow')
      }
    }
  }),
)
