/** Pages of wikis. */
import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'

test('a page shows its links to other pages, in the wiki, and runs nothing that was written', async () => {
  const forge = await testForge()
  const project = await forge.project({ visibility: 'public' })
  const write = (title: string, content: string, format = 'markdown') =>
    forge.as(forge.root).post(`/projects/${project.id}/wikis`, { title, content, format })
  await write(
    'home',
    '---\ntitle: x\n---\n# Hi\n[[Über uns]] [[words|docs/a b#part]] `[[code]]` [rel](docs/c)\n\n<script>alert(1)</script><a href="javascript:alert(1)">x</a>',
  )
  await write('docs/a b', '[up](../home)')
  await write('plain', '++++\n<script>alert(2)</script>\n++++', 'asciidoc')
  const at = `//${project.full_path}/wikis`
  const moved = await forge.anonymous.get(at)
  expect([moved.status, moved.headers.location]).toEqual([302, `/${project.full_path}/wikis/home`])
  const { text, status } = await forge.anonymous.get(`${at}/home`)
  expect(status).toBe(200)
  const base = `http://gitstead.test/${project.full_path}/wikis`
  for (const href of ['%C3%9Cber-uns', 'docs/a-b#part', 'docs/c']) expect(text).toContain(`href="${base}/${href}"`)
  expect(text).toContain('[[code]]')
  expect(text).not.toContain('title: x')
  expect(text).not.toMatch(/<script>alert|javascript:/)
  expect((await forge.anonymous.get(`${at}/docs/a-b`)).text).toContain(`href="${base}/home"`)
  const source = await forge.anonymous.get(`${at}/plain`)
  expect(source.text).toContain('&lt;script&gt;alert(2)')
  expect(source.text).not.toContain('<script>alert')
  expect((await forge.anonymous.get(`${at}/-/history/home`)).text).toContain('created page: home')
  const none = await forge.anonymous.get(`${at}/no/such`)
  expect([none.status, none.text.includes('There is no page no/such yet.')]).toEqual([404, true])
})
