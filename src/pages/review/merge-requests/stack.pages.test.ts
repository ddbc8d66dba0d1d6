/** The page of a merge request shows its stack and its dependencies, and merges a stack from the lowest. */
import { expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { mergeStackedJob } from '../../../features/commands/stack-merges/stack-merges.jobs.ts'
import { stackSentences } from './sentences.ts'

const password = 'correct horse battery'

/** Sends a form of the page of a merge request. */
async function send(browser: Browser, request: string, form: string, fields: Record<string, string> = {}) {
  const answer = await browser.submit(request, `${request}/${form}`, fields)
  if (answer.text !== '') expect(readDocument(answer.text).faults).toEqual([])
  return answer
}

test('what must be merged first is named by its reference, also of another project, and can be taken away', async () => {
  const forge = await testForge()
  const [owner, reporter] = [await forge.user({ password }), await forge.user({ password })]
  const project = await forge.project({ owner, reporter })
  const hidden = await forge.project({ owner, visibility: 'private' })
  const [me, other] = [await signedIn(forge, owner), await signedIn(forge, reporter)]
  for (const one of [project, hidden]) {
    await git(one.dir, 'update-ref', 'refs/heads/topic', 'main')
    await git(one.dir, 'update-ref', 'refs/heads/more', 'main')
  }
  const { iid } = await forge.mergeRequest(project, owner, { source_branch: 'topic' })
  const far = await forge.mergeRequest(hidden, owner, { source_branch: 'topic', title: 'Comes first' })
  const request = `/${project.full_path}/merge_requests/${iid}`
  const added = await send(me, request, 'blocks', { merge_request: `${hidden.full_path}!${far.iid}` })
  expect([added.status, added.location]).toEqual([303, expect.stringContaining(request)])
  expect((await me.get(request)).text).toContain(`<bdi>Comes first</bdi></a> <span class="hint">${hidden.full_path}!${far.iid}</span>`)
  // Counted for those who can't see it.
  const shown = (await other.get(request)).text
  expect([shown.includes('Comes first'), shown.includes(stackSentences.hidden(1)), shown.includes('name="merge_request"')]).toEqual([
    ...[false, true, false],
  ])
  const back = `/${hidden.full_path}/merge_requests/${far.iid}`
  for (const [at, reference, sentence] of [
    [request, `${hidden.full_path}!${far.iid}`, stackSentences.rules['Block already exists']],
    [request, `!${iid}`, stackSentences.rules['A merge request cannot block itself']],
    [back, `${project.full_path}!${iid}`, stackSentences.rules['The merge requests would wait for each other']],
    [request, `${hidden.full_path}!99`, stackSentences.noReference],
    [request, 'nothing', stackSentences.noReference],
  ] as const) {
    const refused = await send(me, at, 'blocks', { merge_request: reference })
    expect([refused.status, refused.text.includes(sentence ?? '?')]).toEqual([422, true])
  }
  const [, id = ''] = /blocks\/(\d+)\/delete/.exec((await me.get(request)).text) ?? []
  expect((await send(me, request, `blocks/${id}/delete`)).status).toBe(303)
  expect((await me.get(request)).text).toContain(stackSentences.nothing)
})

test('a stack is merged from the lowest by one button, and what refuses one leaves out those above it', async () => {
  const forge = await testForge()
  const owner = await forge.user({ password })
  const project = await forge.project({ owner })
  const [api, me] = [forge.as(owner), await signedIn(forge, owner)]
  const at = `/projects/${project.id}`
  const names = ['one', 'two', 'three', 'four']
  for (const [index, branch] of names.entries()) {
    const start_branch = names[index - 1] ?? 'main'
    const actions = [{ action: 'create', file_path: branch, content: branch }]
    await api.post(`${at}/repository/commits`, { branch, start_branch, commit_message: branch, actions })
    const sent = { source_branch: branch, target_branch: start_branch, title: branch === 'three' ? 'Draft: three' : branch }
    expect((await api.post(`${at}/merge_requests`, sent)).status).toBe(201)
  }
  const request = (number: number) => `/${project.full_path}/merge_requests/${number}`
  expect((await me.get(request(1))).text).not.toContain('/stack/merge')
  const { text } = await me.get(request(4))
  expect([text.includes(stackSentences.place(4, 4)), text.includes(stackSentences.merge(4))]).toEqual([true, true])
  const sent = await send(me, request(4), 'stack/merge')
  expect(sent.status).toBe(303)
  expect((await me.get(request(4))).text).toContain(stackSentences.after(3))
  await forge.drain()
  const states = await Promise.all([1, 2, 3, 4].map(async (iid) => (await api.get(`${at}/merge_requests/${iid}`)).body.state))
  expect(states).toEqual(['merged', 'merged', 'opened', 'opened'])
  expect((await git(project.dir, 'ls-tree', '--name-only', 'main')).split('\n')).toEqual(expect.arrayContaining(['one', 'two']))
  const page = (await me.get(request(4))).text
  expect(page).toMatch(/aborted the automatic merge with its stack because <a [^>]*>!3<\/a> is not merged/)
  expect(page).not.toContain(stackSentences.after(3))
  // The form merges the commits that the page has shown: after another push it is refused.
  const { text: before } = await me.get(request(4))
  const [, seen = ''] = /name="seen" value="([^"]*)"/.exec(before) ?? []
  expect(seen.split(',')).toHaveLength(2)
  await api.post(`${at}/repository/commits`, {
    branch: 'three',
    commit_message: 'Late',
    actions: [{ action: 'create', file_path: 'z', content: 'z' }],
  })
  const late = await send(me, request(4), 'stack/merge', { seen })
  expect([late.status, late.text.includes('The stack has changed since')]).toEqual([409, true])

  // The rights of the user who merges the stack are checked again at the turn of each request.
  const [below, next] = await Promise.all([2, 3].map(async (iid) => (await api.get(`${at}/merge_requests/${iid}`)).body))
  const former = { user_id: (await forge.user()).id, below_id: below.id, head_oid: next.sha, created_at: '2026-01-01T00:00:00.000Z' }
  await forge.app.db
    .insertInto('stacked_merges')
    .values({ merge_request_id: next.id, ...former })
    .execute()
  await mergeStackedJob.handle(forge.app, { merge_request_id: next.id })
  expect((await me.get(request(3))).text).toContain('because who merges the stack is no longer allowed to')
})
