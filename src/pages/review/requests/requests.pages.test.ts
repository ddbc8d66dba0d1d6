/** Merge requests in a browser: what is shown to whom, what may be done from their pages, and what they cost. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { noticeAt } from '../../../../test/support/notices.ts'
import { signedIn } from '../../../../test/support/page-fixture.ts'
import { sentences } from './sentences.ts'

const password = 'correct horse battery'
let forge: Forge
let owner: TestUser
let developer: TestUser
let reporter: TestUser
let project: TestProject
let me: Browser
let asReporter: Browser
let asStranger: Browser

beforeAll(async () => {
  forge = await testForge()
  ;[owner, developer, reporter] = await Promise.all([forge.user({ password }), forge.user({ password }), forge.user({ password })])
  project = await seeded()
  me = await signedIn(forge, owner)
  asReporter = await signedIn(forge, reporter)
  asStranger = await signedIn(forge, await forge.user({ password }))
})

/** `main`, `topic` with a commit more, `clash` that changes the same line otherwise. */
function seeded(): Promise<TestProject> {
  return forge.project({
    owner,
    developer,
    reporter,
    visibility: 'private',
    commits: [
      { message: 'First', files: { 'README.md': 'one\n' } },
      { message: 'Change it <b>', files: { 'README.md': 'two\n' }, branch: 'topic' },
    ],
  })
}

test('a merge request is shown with its branches, its people, its commits and its changes', async () => {
  const { iid } = await forge.mergeRequest(project, developer, { source_branch: 'topic', title: 'Say <two>', description: 'See **this**' })
  const address = `/${project.full_path}/merge_requests/${iid}`
  const { status, text } = await me.get(address)
  expect([status, readDocument(text).faults]).toEqual([200, []])
  expect(text).toContain('Say &lt;two&gt;')
  expect(text).toContain('<strong>this</strong>')
  expect(text).toMatch(/topic.*into.*main/s)
  for (const [page, words] of [
    ['commits', 'Change it &lt;b&gt;'],
    ['pipelines', sentences.noPipelines],
    ['diffs', 'README.md'],
  ] as const) {
    const shown = await me.get(`${address}/${page}`)
    expect([page, shown.status, readDocument(shown.text).faults]).toEqual([page, 200, []])
    expect(shown.text).toContain(words)
  }
  expect((await asStranger.get(address)).status).toBe(404)
  expect((await browserOf(forge.server).get(address)).status).toBe(404)
  expect((await me.get(`/${project.full_path}/merge_requests/999`)).status).toBe(404)
  expect([(await asReporter.get(address)).status, (await noticeAt(me, address)) ?? '']).toEqual([200, ''])
})
