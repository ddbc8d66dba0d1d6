/** Snippets in a browser: written, read, discussed and deleted, by mouse, by keyboard and without scripts. */
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
  project = await forge.project({ owner: user, visibility: 'public' })
})

for (const way of ways) {
  test(
    `a snippet of a project is written, read, discussed and edited: ${way.name}`,
    tierOf(way),
    browsing(async (open) => {
      const list = `/${project.full_path}/snippets`
      const hand = await handOf(way, open, { user })
      await hand.open(list)
      await hand.follow(`${list}/new`)
      await hand.send(list, { title: `Deploy, ${way.name}`, file_name: 'deploy.py', content: 'def deploy():\n    pass\n' })
      await hand.arrive(/\/snippets\/\d+$/)
      const address = new URL(hand.page.url()).pathname
      await hand.page.getByText('def deploy').waitFor()
      await hand.send(`${address}/notes`, { body: 'Does it **stop**?' })
      await hand.page.locator('.note strong', { hasText: 'stop' }).waitFor()
      await hand.follow(`${address}/edit`)
      await hand.send(address, { title: `Edited, ${way.name}` })
      await hand.page.getByRole('heading', { name: `Edited, ${way.name}` }).waitFor()
      const id = Number(address.split('/').at(-1))
      expect((await forge.as(user).get(`/projects/${project.id}/snippets/${id}`)).body).toMatchObject({ title: `Edited, ${way.name}` })
    }),
  )
}

test(
  'a comment completes $ and a snippet with several files is readable on a phone, in the dark',
  inFullRun('1 s of processor. `issues.test.ts` completes names, `colours.test.ts` has the contrast.'),
  browsing(async (open) => {
    const files = ['a.sh', 'notes.md', 'b.txt'].map((file_path) => ({ file_path, content: `# ${'long '.repeat(60)}\n` }))
    const fields = { title: 'Several files', files, visibility: 'public', description: 'Of *several* files' }
    const { body } = await forge.as(user).post(`/projects/${project.id}/snippets`, fields)
    const page = await open({ user, width: 'phone', dark: true })
    await page.goto(`/${project.full_path}/snippets/${body.id}`)
    const comment = page.locator('#new-body')
    await comment.pressSequentially('$Sev')
    await page.locator('.choices [role="option"][aria-selected="true"]').waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await comment.inputValue()).trim()).toBe(`$${body.id}`)
    await comment.fill('')
    expect(await axeOf(page)).toEqual([])
    await noSidewaysScroll(page, 'narrow')
  }),
)
