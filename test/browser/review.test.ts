/** Reviewing a merge request in a browser: comments on lines, reviews, suggestions, versions, viewed files, and conflicts. */
import { crc32, deflateSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../tools/chromium.mjs'
import type { Forge, TestProject, TestUser } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { cpuBudget } from '../support/run/cpu.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { withoutScript } from './hands.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge } from './support.ts'

cpuBudget(16, 'Reviews in a browser, with axe.')

const password = 'correct horse battery'
let forge: Forge
let author: TestUser
let reviewer: TestUser

/** Globals of browsers, for functions that are sent to a page and run there. */
declare const location: { hash: string }
declare const find: (text: string) => boolean
declare const getSelection: () => { anchorNode: { parentElement: { closest: (selector: string) => { id: string } | null } } | null }

const before = `/** The parts of the tide, each with its speed in degrees an hour. */
export const speeds = {
  M2: 28.984104,
  S2: 30.0,
  N2: 28.43973,
} as const

export function names(): string[] {
  return Object.keys(speeds)
}
`
const after = before
  .replace('  S2: 30.0,\n', '  S2: 30.0,\n  K2: 30.082137,\n')
  .replace('return Object.keys(speeds)', 'return Object.keys(speeds).sort()')
const lines = (count: number, word = 'line') => Array.from({ length: count }, (_, index) => `${word} ${index + 1}\n`).join('')

/** A picture of one colour. */
function picture(width: number, height: number, shade: number): string {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    size.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([size, body, sum])
  }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0])
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  const rows = deflateSync(Buffer.alloc((width + 1) * height, shade).map((value, index) => (index % (width + 1) === 0 ? 0 : value)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]).toString('base64')
}

type Files = Record<string, string | { base64: string }>

async function commit(project: TestProject, branch: string, files: Files, more: object = {}): Promise<void> {
  const actions = Object.entries(files).map(([file_path, content]) =>
    typeof content === 'string'
      ? { action: 'update', file_path, content }
      : { action: 'update', file_path, content: content.base64, encoding: 'base64' },
  )
  const answer = await forge
    .as(author)
    .post(`/projects/${project.id}/repository/commits`, { branch, commit_message: `Change ${branch}`, actions, ...more })
  expect(answer.status).toBe(201)
}

async function proposed(files: Files = {}) {
  const project = await forge.project({
    owner: author,
    developer: reviewer,
    visibility: 'private',
    commits: [
      {
        files: {
          'src/speeds.ts': before,
          'docs/notes.md': lines(40),
          'chart.png': 'old',
          ...Object.fromEntries(Object.keys(files).map((path) => [path, 'x\n'])),
        },
      },
    ],
  })
  const changed = { 'src/speeds.ts': after, 'docs/notes.md': lines(40).replace('line 20\n', 'another line\n'), ...files }
  await commit(project, 'topic', changed, { start_branch: 'main' })
  const { iid } = await forge.mergeRequest(project, author, {
    source_branch: 'topic',
    title: 'Add K2',
    description: 'As the office lists it.',
  })
  const request = `/${project.full_path}/merge_requests/${iid}`
  return { project, iid, request, changes: `${request}/diffs` }
}

const fileNamed = (page: Page, path: string) => page.locator(`.diff-file[data-path="${path}"]`)

/** Clicks the number of a line, and writes into the form below it. */
async function writeAt(page: Page, path: string, line: string, text: string, button = 'Comment'): Promise<void> {
  const row = fileNamed(page, path).locator(`tr[id$="${line}"]`)
  await row.locator(`td:nth-child(${line.startsWith('L') ? 1 : 2})`).click()
  const form = page.locator('.line-note form')
  await form.locator('textarea').fill(text)
  await form.getByRole('button', { name: button, exact: true }).click()
  await form.waitFor({ state: 'detached' })
}

describe.skipIf(!findChromium())('review', () => {
  beforeAll(async () => {
    forge = await servedForge()
    ;[author, reviewer] = await Promise.all([forge.user({ password, name: 'Ines Rocha' }), forge.user({ password, name: 'Jonas Weber' })])
  })

  test(
    'a line is discussed where it stands, from the overview and back; the discussion is resolved and folded',
    browsing(async (open) => {
      const { request, changes } = await proposed()
      const page = await open({ user: reviewer })
      await page.goto(changes)
      await writeAt(page, 'src/speeds.ts', 'R5', 'Where is this number from?')
      await expect.poll(() => page.locator('tr[id$="R5"] + tr.b .note').count()).toBe(1)
      await page.getByRole('link', { name: 'In the overview' }).click()
      await page.waitForURL((url) => url.pathname === request)
      const mine = await open({ user: author })
      await mine.goto(request)
      await mine.getByRole('link', { name: 'src/speeds.ts, line 5' }).click()
      await mine.waitForURL((url) => url.pathname === changes && url.hash.startsWith('#discussion_'))
      const thread = mine.locator('.diff .thread')
      await thread.locator('summary', { hasText: 'Reply' }).click()
      await thread.locator('textarea').fill('From the office.')
      await thread.getByRole('button', { name: 'Reply' }).click()
      await thread.getByText('From the office.').waitFor()
      await thread.getByRole('button', { name: 'Resolve the discussion' }).click()
      await thread.locator('summary', { hasText: 'Resolved by Ines Rocha' }).waitFor()
      await expect.poll(() => thread.getByText('From the office.').isVisible()).toBe(false)
    }),
  )

  test(
    'editing a comment at a line leads back to the line',
    inFullRun('1 s of processor. The discussion above leads back to its line.'),
    browsing(async (open) => {
      const { changes } = await proposed()
      const page = await open({ user: reviewer })
      await page.goto(changes)
      await writeAt(page, 'docs/notes.md', 'R20', 'Why?')
      await page.locator('.diff .note summary', { hasText: 'More about this comment' }).click()
      await page.locator('.diff .note').getByRole('link', { name: 'Edit' }).click()
      await page.locator('form textarea').fill('Why another line?')
      await page.getByRole('button', { name: 'Save the comment' }).click()
      await page.waitForURL((url) => url.pathname === changes && url.hash.startsWith('#discussion_'))
      await expect.poll(() => page.locator('.diff .note', { hasText: 'Why another line?' }).count()).toBe(1)
    }),
  )

  test(
    'comments of a review are sent at once, and n and p go from one open discussion to the next',
    inFullRun('2 s of processor. `draft-notes.test.ts` publishes comments at once.'),
    browsing(async (open) => {
      const { changes } = await proposed()
      const page = await open({ user: reviewer })
      await page.goto(changes)
      await writeAt(page, 'src/speeds.ts', 'R5', 'First', 'Add to review')
      await writeAt(page, 'src/speeds.ts', 'L9', 'Second', 'Add to review')
      await writeAt(page, 'docs/notes.md', 'R18', 'Third', 'Add to review')
      await expect.poll(() => page.locator('.draft-note').count()).toBe(3)
      const mine = await open({ user: author })
      await mine.goto(changes)
      await expect.poll(() => mine.getByText('First', { exact: true }).count()).toBe(0)
      await page.getByRole('button', { name: 'Submit review' }).click()
      await page.locator('.open-talks summary', { hasText: '3 open discussions' }).waitFor()
      await mine.goto(changes)
      const hash = () => mine.evaluate(() => location.hash)
      const visited: string[] = []
      for (const key of ['n', 'n', 'n', 'p']) {
        const old = await hash()
        await mine.keyboard.press(key)
        await expect.poll(hash).not.toBe(old)
        visited.push(await mine.locator(await hash()).innerText())
      }
      expect(visited.map((text) => /First|Second|Third/.exec(text)?.[0])).toEqual(['Third', 'First', 'Second', 'First'])
    }),
  )

  test(
    'a viewed file is folded until it changes, and what came since is compared',
    inFullRun('1 s of processor. `diffs.pages.test.ts` folds a viewed file and compares versions.'),
    browsing(async (open) => {
      const { project, changes } = await proposed()
      const page = await open({ user: reviewer })
      await page.goto(changes)
      const file = fileNamed(page, 'docs/notes.md')
      const top = () => file.evaluate((element) => element.getBoundingClientRect().top)
      const before = await top()
      await file.getByLabel('Viewed').check()
      await page.getByText('1 of 2 viewed').waitFor()
      await expect.poll(async () => [await top(), (await file.locator('tr').count()) > 3]).toEqual([before, true])
      await page.reload()
      await file.getByText('You have viewed this file as it is.').waitFor()
      await expect.poll(() => file.locator('tr').count()).toBe(0)
      await expect.poll(() => file.getByLabel('Viewed').isChecked()).toBe(true)
      await commit(project, 'topic', { 'docs/notes.md': lines(40).replace('line 20\n', 'yet another\n') })
      await page.goto(changes)
      await expect.poll(() => file.locator('tr').count()).toBeGreaterThan(3)
      await page.getByRole('link', { name: 'Since I last looked' }).click()
      await page.getByText('1 changed file').waitFor()
      await expect.poll(() => page.locator('.diff tr.a').innerText()).toContain('yet another')
      await page.locator('.versions summary').click()
      await page.getByLabel('Compared with').selectOption({ label: 'the target branch' })
      await page.getByRole('button', { name: 'Compare' }).click()
      await page.getByText('2 changed files').waitFor()
    }),
  )

  test(
    'the code begins high on the page, a suggestion begins with the line as it is, Cancel takes the form away, and on paper the code alone stays',
    browsing(async (open) => {
      const { changes } = await proposed()
      const page = await open({ user: reviewer })
      await page.goto(changes)
      const top = await page
        .locator('.diff tr:not(.h)')
        .first()
        .evaluate((row) => row.getBoundingClientRect().top)
      expect(top, 'the code begins high on the page').toBeLessThanOrEqual(240)
      const number = fileNamed(page, 'src/speeds.ts').locator('tr.a td:nth-child(2)').first()
      const line = await fileNamed(page, 'src/speeds.ts').locator('tr.a td:nth-child(4)').first().innerText()
      await number.click()
      const form = page.locator('.line-note form')
      await form.getByRole('button', { name: 'Suggest a change' }).click()
      await expect.poll(() => form.locator('textarea').inputValue()).toBe(`\`\`\`suggestion\n${line}\n\`\`\`\n`)
      await form.getByRole('button', { name: 'Cancel' }).click()
      await expect.poll(() => page.locator('.line-note').count()).toBe(0)
      await page.emulateMedia({ media: 'print' })
      const isShown = (selector: string) => page.locator(selector).first().isVisible()
      expect(await Promise.all(['.bar', '.diff-bar', 'footer', '.review-form', 'main button'].map(isShown))).not.toContain(true)
      expect(await isShown('.diff tr.a')).toBe(true)
    }),
  )

  test(
    'several lines are chosen by dragging, by Shift and a click, and by the number in the form, and a suggestion takes all of them',
    browsing(async (open) => {
      const { project, iid, changes } = await proposed()
      const page = await open({ user: reviewer })
      await page.goto(changes)
      const row = (line: string) => fileNamed(page, 'src/speeds.ts').locator(`tr[id$="${line}"]`)
      const number = (line: string) => row(line).locator('td:nth-child(2)')
      const chosen = () => page.locator('.diff tr.is-chosen td:nth-child(2)').allInnerTexts()
      await number('R3').hover()
      await page.mouse.down()
      await row('R4').hover()
      await row('R5').hover()
      await expect.poll(chosen).toEqual(['3', '4', '5'])
      await page.mouse.up()
      const form = page.locator('.line-note form')
      await form.getByText('to line 5').waitFor()
      await form.getByRole('button', { name: 'Cancel' }).click()
      await expect.poll(chosen).toEqual([])
      await number('R4').click()
      await number('R6').click({ modifiers: ['Shift'] })
      await expect.poll(chosen).toEqual(['4', '5', '6'])
      await form.locator('textarea').fill('Typed before.\n')
      await form.getByLabel('From line').press('ArrowUp')
      await expect.poll(chosen).toEqual(['5', '6'])
      await form.getByRole('button', { name: 'Suggest a change' }).click()
      const lines = after.split('\n').slice(4, 6).join('\n')
      const wanted = `Typed before.\n\`\`\`suggestion:-1+0\n${lines}\n\`\`\`\n`
      await expect.poll(() => form.locator('textarea').inputValue()).toBe(wanted)
      await form.getByRole('button', { name: 'Comment', exact: true }).click()
      await page.locator('.diff .line-place', { hasText: 'Lines 5 to 6' }).waitFor()
      const { body } = await forge.as(author).get(`/projects/${project.id}/merge_requests/${iid}/discussions`)
      expect(body[0].notes[0].position.line_range).toMatchObject({ start: { new_line: 5 }, end: { new_line: 6 } })
    }),
  )

  test(
    'suggestions are applied as one commit of those that are selected',
    inFullRun('1 s of processor. `suggestions.test.ts` applies them.'),
    browsing(async (open) => {
      const { project, changes } = await proposed()
      const page = await open({ user: reviewer })
      await page.goto(changes)
      await writeAt(page, 'src/speeds.ts', 'R5', '```suggestion\n  K2: 30.0821373,\n```')
      await writeAt(page, 'docs/notes.md', 'R20', '```suggestion\na better line\n```')
      const mine = await open({ user: author })
      await mine.goto(changes)
      for (const box of await mine.getByLabel('Select, to apply several').all()) await box.check()
      await mine.getByLabel('Commit message').fill('Take what Jonas suggests')
      await mine.getByRole('button', { name: 'Apply the selected suggestions' }).click()
      await mine.getByText('2 suggestions applied').waitFor()
      expect(await git(project.dir, 'log', '-1', '--format=%s', 'topic')).toBe('Take what Jonas suggests')
      expect((await git(project.dir, 'show', '--name-only', '--format=', 'topic')).split('\n')).toEqual(['docs/notes.md', 'src/speeds.ts'])
    }),
  )

  test(
    'a click on a picture opens a form, and the comment is shown at that point',
    inFullRun('Half a second of processor. `diffs.pages.test.ts` places comments at points of a picture.'),
    browsing(async (open) => {
      const project = await forge.project({ owner: author, developer: reviewer, commits: [{ files: { 'chart.png': 'x' } }] })
      await commit(project, 'topic', { 'chart.png': { base64: picture(400, 200, 120) } }, { start_branch: 'main' })
      const { iid } = await forge.mergeRequest(project, author, { source_branch: 'topic' })
      const page = await open({ user: reviewer })
      await page.goto(`/${project.full_path}/merge_requests/${iid}/diffs`)
      await page.locator('img[data-points]').click({ position: { x: 100, y: 150 } })
      const form = page.locator('.line-note form')
      await form.locator('textarea').fill('Too dark here')
      await form.getByRole('button', { name: 'Comment', exact: true }).click()
      await page.getByRole('link', { name: 'Comment 1' }).waitFor()
      const { body } = await forge.as(author).get(`/projects/${project.id}/merge_requests/${iid}/discussions`)
      expect(body[0].notes[0].position).toMatchObject({ x: 100, y: 150, width: 400, height: 200 })
    }),
  )

  for (const script of [true, false])
    test(
      `conflicts are resolved by sides and by text ${script ? 'with' : 'without'} script`,
      script ? {} : withoutScript,
      browsing(async (open) => {
        const { project, request } = await proposed()
        await commit(project, 'main', {
          'src/speeds.ts': before.replace('S2: 30.0', 'S2: 30.0000000'),
          'docs/notes.md': lines(40).replace('line 20\n', 'the line of main\n'),
        })
        const page = await open({ user: author, script, width: script ? 'desktop' : 'phone' })
        await page.goto(request)
        await page.getByRole('link', { name: 'Resolve conflicts' }).click()
        await page.getByRole('heading', { name: 'Conflicts', exact: true }).waitFor()
        const [notes, speeds] = [page.locator('#f1'), page.locator('#f2')]
        await notes.getByLabel('main, the target branch').check()
        await page.getByRole('button', { name: 'Commit to the source branch' }).click()
        await page.getByText('1 file is not resolved yet.').waitFor()
        await speeds.getByText('Edit the text instead').click()
        await speeds.locator('textarea').fill(after.replace('30.0,', '30.0000000,'))
        await page.getByRole('button', { name: 'Commit to the source branch' }).click()
        await page.waitForURL((url) => url.pathname === request)
        await page.getByText('The conflicts are resolved').waitFor()
        expect(await git(project.dir, 'show', 'topic:docs/notes.md')).toContain('the line of main')
        expect(await git(project.dir, 'log', '-1', '--format=%s', 'topic')).toBe("Merge branch 'main' into 'topic'")
      }),
    )

  test(
    'the changes and the conflicts have no violation of accessibility, and scroll sideways at no width',
    inFullRun(
      '8 times axe. pages.test.ts looks at each of these pages with axe, in light, and at their widths; here are hard texts, both colours and more windows.',
    ),
    browsing(async (open) => {
      const { project, request, changes } = await proposed({ 'chart.png': { base64: picture(300, 200, 90) } })
      await commit(project, 'main', { 'src/speeds.ts': before.replace('S2: 30.0', `S2: ${'30.0 + '.repeat(40)}0`) })
      const page = await open({ user: reviewer })
      await page.goto(changes)
      await writeAt(page, 'src/speeds.ts', 'R5', '```suggestion\n  K2: 30.0821373,\n```')
      await writeAt(page, 'docs/notes.md', 'R20', 'Why?', 'Add to review')
      for (const address of [changes, `${changes}?view=split`, `${request}/conflicts`, request]) {
        for (const dark of [false, true]) {
          const tab = await open({ user: author, dark })
          await tab.goto(address)
          expect([address, dark, await axeOf(tab)]).toEqual([address, dark, []])
          for (const width of ['narrow', 'phone', 'desktop'] as const) await noSidewaysScroll(tab, width)
        }
      }
    }),
  )

  test(
    'all of ten thousand changed lines are loaded as one scrolls, and the search of the browser finds each',
    inFullRun('Ten thousand lines. That the next files come as one scrolls is tested on a commit of 122 files, in diff.test.ts.'),
    browsing(async (open) => {
      const files = Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [`part/${String(index).padStart(2, '0')}.txt`, lines(500, `file ${index} row`)]),
      )
      const { changes } = await proposed(files)
      const page = await open({ user: reviewer })
      await page.goto(changes)
      while ((await page.locator('.more a.next[rel=next]').count()) > 0) {
        const shown = await page.locator('.diff-file').count()
        await page.locator('.more a.next[rel=next]').scrollIntoViewIfNeeded()
        await expect.poll(() => page.locator('.diff-file').count()).toBeGreaterThan(shown)
      }
      await expect.poll(() => page.locator('.diff tr.a').count()).toBeGreaterThan(10_000)
      for (const wanted of ['file 0 row 7', 'file 9 row 499', 'file 19 row 500']) {
        const row = await page.evaluate((text) => (find(text) ? getSelection().anchorNode?.parentElement.closest('tr')?.id : null), wanted)
        expect([wanted, row?.endsWith(`R${wanted.split(' ').at(-1)}`)]).toEqual([wanted, true])
      }
    }),
  )
})
