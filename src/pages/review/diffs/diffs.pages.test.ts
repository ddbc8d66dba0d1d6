/** The changes of a merge request in a browser: discussions on lines, reviews, viewed marks, versions and conflicts. */
import { beforeAll, expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { signedIn } from '../../../../test/support/page-fixture.ts'
import { sentences } from './sentences.ts'

const password = 'correct horse battery'
let forge: Forge
let owner: TestUser
let reporter: TestUser
let me: Browser
let asReporter: Browser
let asStranger: Browser

beforeAll(async () => {
  forge = await testForge()
  ;[owner, reporter] = await Promise.all([forge.user({ password }), forge.user({ password })])
  me = await signedIn(forge, owner)
  asReporter = await signedIn(forge, reporter)
  asStranger = await signedIn(forge, await forge.user({ password }))
})

const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('')

async function proposed(): Promise<{ project: TestProject; address: string; iid: number }> {
  const project = await forge.project({
    owner,
    reporter,
    visibility: 'private',
    commits: [{ message: 'First', files: { 'a.txt': lines(1, 60), 'b.txt': 'b\n' } }],
  })
  await forge.as(owner).post(`/projects/${project.id}/repository/commits`, {
    branch: 'topic',
    start_branch: 'main',
    commit_message: 'Change',
    actions: [
      { action: 'update', file_path: 'a.txt', content: `${lines(1, 9)}changed\n${lines(11, 60)}` },
      { action: 'update', file_path: 'b.txt', content: 'c\n' },
    ],
  })
  const { iid } = await forge.mergeRequest(project, owner, { source_branch: 'topic' })
  return { project, iid, address: `/${project.full_path}/merge_requests/${iid}/diffs` }
}

const fieldOf = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''

/** Sends a form of the page with other fields. */
async function send(browser: Browser, page: string, action: string, fields: Record<string, string>) {
  const { text } = await browser.get(page)
  const [, name = '', value = ''] = /name="([a-z_]*token)" value="([^"]*)"/.exec(text) ?? []
  return browser.post(action, { [name]: value, ...fields }, { host: 'gitstead.test', origin: 'http://gitstead.test' })
}

async function refsAt(browser: Browser, address: string) {
  const { text } = await browser.get(address)
  return { base_sha: fieldOf(text, 'base_sha'), start_sha: fieldOf(text, 'start_sha'), head_sha: fieldOf(text, 'head_sha') }
}

test('a comment on a changed line and on one far from any change stands with its file, and is answered and resolved there', async () => {
  const { address } = await proposed()
  const refs = await refsAt(asReporter, address)
  const far = await send(asReporter, address, `${address}/notes`, {
    ...refs,
    path: 'a.txt',
    line: '50',
    line_type: 'new',
    body: 'Far away',
  })
  expect(far.status).toBe(303)
  const near = await send(asReporter, address, `${address}/notes`, {
    ...refs,
    path: 'a.txt',
    line: '10',
    line_type: 'old',
    body: 'Why gone?',
  })
  expect([near.status, /class="error"[^<]*<[^<]*/.exec(near.text)?.[0]]).toEqual([303, undefined])
  const id = /discussions\/([0-9a-f]{40})/.exec(String(near.location))?.[1] ?? ''
  const jump = await me.get(`${address}/discussions/${id}`)
  expect([jump.status, jump.location]).toEqual([302, `${address}#discussion_${id}`])
  const { status, text } = await me.get(address)
  expect([status, readDocument(text).faults]).toEqual([200, []])
  expect(text).toContain('2 open discussions')
  expect(text).toMatch(/id="1L10".*?<tr class="b">.*?Why gone\?/s)
  expect(text).toMatch(/class="file-talk".*?Far away.*?<table class="diff/s)
  expect((await send(me, address, `${address}/notes`, { discussion_id: id, body: 'It was wrong' })).status).toBe(303)
  expect((await send(asReporter, address, `${address}/discussions/${id}/resolve`, { resolved: 'true' })).status).toBe(403)
  expect((await send(me, address, `${address}/discussions/${id}/resolve`, { resolved: 'true' })).status).toBe(303)
  const after = (await me.get(address)).text
  expect(after).toContain('It was wrong')
  expect(after).toContain('1 open discussion<')
  expect((await asStranger.get(address)).status).toBe(404)
})

test('a line that is not there, another file and other commits are refused, with what was typed', async () => {
  const { address } = await proposed()
  const refs = await refsAt(me, address)
  const note = { ...refs, path: 'a.txt', line: '1', line_type: 'new', body: 'Kept text' }
  for (const wrong of [
    { line: '0' },
    { line: 'ten' },
    { line: '4000' },
    { path: 'nowhere' },
    { path: '../a.txt' },
    { head_sha: 'x' },
    { head_sha: '0'.repeat(40) },
    { base_sha: refs.head_sha, start_sha: refs.head_sha },
    { body: ' ' },
  ]) {
    const { status, text } = await send(me, address, `${address}/notes`, { ...note, ...wrong })
    expect([wrong, status, readDocument(text).faults]).toEqual([wrong, 422, []])
    if (!('body' in wrong)) expect(text).toContain('Kept text')
  }
})

test('comments of a review are seen by their author alone until they submit it', async () => {
  const { address } = await proposed()
  const refs = await refsAt(asReporter, address)
  const note = { ...refs, path: 'a.txt', line: '10', line_type: 'new', act: 'draft' }
  for (const body of ['First of review', 'Second of review'])
    expect((await send(asReporter, address, `${address}/notes`, { ...note, body })).status).toBe(303)
  const mine = await asReporter.get(address)
  expect(mine.text).toContain(sentences.inReview(2))
  expect(readDocument(mine.text).faults).toEqual([])
  expect((await me.get(address)).text).not.toContain('First of review')
  expect((await send(asReporter, address, `${address}/review`, { act: 'submit' })).status).toBe(303)
  const { text } = await me.get(address)
  expect(text).toContain('First of review')
  expect(text).toContain('2 open discussions')
})

test('a viewed file is folded until it changes, and versions are compared', async () => {
  const { project, address } = await proposed()
  const { text } = await me.get(address)
  const oid = /name="path" value="b.txt"><input type="hidden" name="oid" value="([0-9a-f]+)"/.exec(text)?.[1] ?? ''
  expect((await send(me, address, `${address}/viewed`, { path: 'b.txt', oid, viewed: 'true', back: address })).status).toBe(303)
  expect((await send(me, address, `${address}/viewed`, { path: 'none', oid, viewed: 'true' })).status).toBe(404)
  expect((await me.get(address)).text).toContain(sentences.viewed)
  expect((await asReporter.get(address)).text).not.toContain(sentences.viewed)
  const refs = await refsAt(me, address)
  expect((await send(me, address, `${address}/notes`, { ...refs, path: 'b.txt', line: '1', line_type: 'new', body: 'Look' })).status).toBe(
    303,
  )
  await forge.as(owner).post(`/projects/${project.id}/repository/commits`, {
    branch: 'topic',
    commit_message: 'Again',
    actions: [{ action: 'update', file_path: 'b.txt', content: 'd\n' }],
  })
  const now = (await me.get(address)).text
  expect(now).not.toContain(sentences.viewed)
  const since = /href="([^"]*from=\d+)">Since I last commented/.exec(now)?.[1] ?? ''
  const { status, text: compared } = await me.get(since)
  expect([status, readDocument(compared).faults]).toEqual([200, []])
  expect(compared).toContain('1 changed file')
  expect((await me.get(`${address}?version=999999`)).status).toBe(404)
})
