/** The pipelines page of a merge request tells what it changes in the tests, to those who may see jobs. */
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readDocument } from '../../../../test/support/documents.ts'
import { jobOf } from '../../../../test/support/fixtures/jobs.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { sentences } from './sentences.ts'

const password = 'correct horse battery'

/** A pipeline of this commit whose job reports these tests. */
async function reported(forge: Forge, project: TestProject, user: TestUser, sha: string, failed: Record<string, boolean>): Promise<void> {
  const { id, token } = await jobOf(forge, project, user, { name: 'unit', sha })
  const cases = Object.entries(failed).map(
    ([name, fails]) => `<testcase name="${name}" classname="Sum">${fails ? '<failure/>' : ''}</testcase>`,
  )
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="junit.xml.gz"\r\n\r\n'
  const { statusCode } = await forge.server.inject({
    method: 'POST',
    url: `/api/v4/jobs/${id}/artifacts?artifact_type=junit&artifact_format=gzip`,
    headers: { 'job-token': token, 'content-type': 'multipart/form-data; boundary=b' },
    payload: Buffer.concat([Buffer.from(head), gzipSync(`<testsuite>${cases.join('')}</testsuite>`), Buffer.from('\r\n--b--\r\n')]),
  })
  expect(statusCode).toBe(201)
}

test('tests that a merge request breaks, leaves broken and mends are named, with escaped names', async () => {
  const forge = await testForge()
  const [owner, guest] = [await forge.user({ password }), await forge.user({ password })]
  const project = await forge.project({ owner, guest, visibility: 'private', files: { 'README.md': 'one\n' } })
  const action = { action: 'update', file_path: 'README.md', content: 'two\n' }
  const commit = { branch: 'topic', start_branch: 'main', commit_message: 'Change it', actions: [action] }
  await forge.as(owner).post(`/projects/${project.id}/repository/commits`, commit)
  const { iid } = await forge.mergeRequest(project, owner, { source_branch: 'topic' })
  const [base, head] = [await git(project.dir, 'rev-parse', 'main'), await git(project.dir, 'rev-parse', 'topic')]
  const [me, asGuest] = [await signedIn(forge, owner), await signedIn(forge, guest)]
  const address = `/${project.full_path}/merge_requests/${iid}/pipelines`
  const shown = async () => (await me.get(address)).text

  expect(await shown()).not.toContain('id="tests"')
  await reported(forge, project, owner, head, { '&lt;b>breaks': true, 'stays broken': true, mended: false, good: false })
  const alone = await shown()
  expect(alone).toContain(sentences.noTestsBefore)
  expect(alone).toContain('4 tests, 2 failed')

  await reported(forge, project, owner, base, { '&lt;b>breaks': false, 'stays broken': true, mended: true, good: false })
  const text = await shown()
  expect(readDocument(text).faults).toEqual([])
  expect(text).toContain('4 tests, 2 failed: 1 newly, 1 as before. 1 test fixed.')
  const order = ['Newly failed', '&lt;b&gt;breaks', 'Failed as before', 'stays broken', 'Fixed', 'mended']
  const places = order.map((words) => text.indexOf(words))
  expect(places).toEqual([...places].sort((one, other) => one - other))
  expect(places).not.toContain(-1)
  expect(text).not.toContain('<bdi>good')

  await forge.as(owner).put(`/projects/${project.id}`, { public_jobs: false })
  expect((await asGuest.get(address)).text).not.toContain('id="tests"')
})
