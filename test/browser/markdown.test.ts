/** Text of users in a browser: task boxes, quoted replies, copied code, links to parts of a text, and diagrams. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Forge, TestProject, TestUser } from '../support/forge.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { handOf, tierOf, ways } from './hands.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge } from './support.ts'

const password = 'correct horse battery'
const text = [
  '# Plan {+new+} {-old-}',
  '[[_TOC_]]',
  '> [!WARNING]\n> Take *care*.',
  '> [!NOTE]\n> Read this.',
  '- [ ] Buy `#2e8b57` milk\n- [x] Sing',
  'A claim[^1] at www.example.org.',
  '## Code',
  '```js\nconst answer = 42\n```',
  '[^1]: https://example.com/a/long/address',
].join('\n\n')
let forge: Forge
let user: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await servedForge()
  user = await forge.user({ password, name: 'Ines Duarte' })
  project = await forge.project({ owner: user, visibility: 'public' })
})

for (const way of ways) {
  test(
    `a task is ticked where it stands, and a comment quoted: ${way.name}`,
    tierOf(way),
    browsing(async (open) => {
      const issue = await forge.issue(project, user, { description: text })
      const { body: note } = await forge.as(user).post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body: 'One *two*\nthree' })
      const hand = await handOf(way, open, { user })
      const page = hand.page
      await hand.open(`/${project.full_path}/issues/${issue.iid}`)
      const box = page.getByRole('checkbox', { name: 'Buy #2e8b57 milk' })
      await way.press(box)
      await page.getByRole('checkbox', { name: 'Buy #2e8b57 milk', checked: true }).waitFor()
      await page.getByText('2 of 2 tasks done').waitFor()
      await way.press(page.locator(`#note_${note.id} summary`, { hasText: 'More about this comment' }))
      await way.press(page.locator(`#note_${note.id}`).getByRole('link', { name: 'Quote reply' }))
      // With script the reply opens below the comment.
      const field = page.locator(way.window.script === false ? '#new-body' : '.thread textarea')
      await expect.poll(() => field.inputValue()).toBe('> One *two*\n> three\n\n')
    }),
  )
}

test(
  'a text of everything is readable in any width, light and dark, and its parts are reached by their names',
  inFullRun('2 s of processor. The pages of each kind are looked at by others.'),
  browsing(async (open) => {
    const issue = await forge.issue(project, user, { description: text })
    for (const [width, dark] of [
      ['desktop', false],
      ['phone', true],
    ] as const) {
      const page = await open({ user, width, dark })
      await page.goto(`/${project.full_path}/issues/${issue.iid}#code`)
      await page.locator('code-block button').waitFor({ state: 'attached' })
      expect(await axeOf(page)).toEqual([])
      await noSidewaysScroll(page, width)
      await page.getByRole('link', { name: 'Footnote 1', exact: true }).click()
      expect(new URL(page.url()).hash).toMatch(/^#user-content-fn-/)
    }
  }),
)

test(
  'a diagram is drawn as an image, in the colors of the page; what is none, or too much, stays text with a sentence',
  browsing(async (open) => {
    const cycle = Array.from({ length: 1_500 }, (_, index) => `n${index}-->n${(index + 1) % 1_500}`).join('\n')
    const fences = ['graph TD\n  A[Start <i>] --> B', 'no diagram', `graph LR\n${cycle}`].map(
      (source) => `\`\`\`mermaid\n${source}\n\`\`\``,
    )
    const issue = await forge.issue(project, user, { description: fences.join('\n\n') })
    const page = await open({ dark: true })
    await page.goto(`/${project.full_path}/issues/${issue.iid}`)
    const image = page.locator('code-block > img.diagram')
    await image.waitFor()
    await page.getByText('This diagram could not be drawn.').nth(1).waitFor()
    await expect.poll(() => image.evaluate((drawn: HTMLImageElement) => drawn.naturalWidth)).toBeGreaterThan(20)
    await expect
      .poll(() => page.locator('code-block > pre').evaluateAll((all) => all.map((one) => one.checkVisibility())))
      .toEqual([false, true, true])
    await page.getByRole('button', { name: 'Source' }).click()
    await expect.poll(() => page.locator('code-block > pre').first().isVisible()).toBe(true)
    // The frame has no origin: it can't reach the page, nor anything else.
    const frame = await page.request.get('/assets/diagrams.html')
    expect(frame.headers()['content-security-policy']).toMatch(/^sandbox allow-scripts; default-src 'none'; /)
    expect(await axeOf(page)).toEqual([])
  }),
)

/** A server that nobody has allowed, and what it was asked for. */
async function elsewhere(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer(({ url = '' }, reply) => {
    asked.push(url)
    reply.end()
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

test(
  'a diagram loads nothing and runs nothing, whatever it sets: it is an image',
  inFullRun('2 s of processor. The header that keeps the frame from loading anything is looked at above.'),
  browsing(
    async (open) => {
      const { url, asked } = await elsewhere()
      const settings = { securityLevel: 'loose', htmlLabels: true, flowchart: { htmlLabels: true }, secure: [] }
      const source = `%%{init: ${JSON.stringify({ ...settings, themeCSS: `* { background: url(${url}/style) }` })}}%%
graph TD
  A["<img src=${url}/label onerror=parent.postMessage({})>"] --> B
  click A href "javascript:top.document.title = 'evil'"
  click B call alert(1)`
      const issue = await forge.issue(project, user, { description: `\`\`\`mermaid\n${source}\n\`\`\`` })
      const page = await open()
      await page.goto(`/${project.full_path}/issues/${issue.iid}`)
      const image = page.locator('code-block > img.diagram')
      await image.waitFor()
      await expect.poll(() => image.evaluate((drawn: HTMLImageElement) => drawn.naturalWidth)).toBeGreaterThan(20)
      await image.click()
      const drawing = () => image.getAttribute('src')
      await expect.poll(async () => decodeURIComponent((await drawing()) ?? '')).not.toMatch(/<foreignObject|javascript:|onerror/)
      await expect.poll(() => page.title()).not.toContain('evil')
      expect(asked).toEqual([])
    },
    // The browser says what the frame was kept from.
    { expected: /Content Security Policy/ },
  ),
)
