/** The changes of a merge request in a browser: discussions on lines, reviews, viewed marks, versions and conflicts. */

import { beforeAll, expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inFullRun, onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { suggestionSentences } from '../suggestions/sentences.ts'
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

test('a comment on several lines keeps them, and a first line after the last is refused by its field', async () => {
  const { project, iid, address } = await proposed()
  const refs = await refsAt(asReporter, address)
  const note = { ...refs, path: 'a.txt', line_type: 'new', body: 'All of these' }
  const written = await send(asReporter, address, `${address}/notes`, { ...note, from_line: '8', line: '11' })
  expect(written.status).toBe(303)
  expect((await asReporter.get(address)).text).toContain('Lines 8 to 11')
  expect((await asReporter.get(address.replace('/diffs', ''))).text).toContain('a.txt, lines 8 to 11')
  const { body } = await forge.as(owner).get(`/projects/${project.id}/merge_requests/${iid}/discussions`)
  const { position } = body.find(({ notes }: { notes: Array<{ body: string }> }) => notes[0]?.body === 'All of these').notes[0]
  expect([position.old_line, position.new_line]).toEqual([11, 11])
  const code = (old_line: number, new_line: number) => expect.stringMatching(new RegExp(`^[0-9a-f]{40}_${old_line}_${new_line}$`))
  expect(position.line_range).toEqual({
    start: { line_code: code(8, 8), type: null, old_line: 8, new_line: 8 },
    end: { line_code: code(11, 11), type: null, old_line: 11, new_line: 11 },
  })
  for (const [from_line, line] of [
    ['12', '11'],
    ['0', '11'],
    ['-3', '11'],
    ['many', '11'],
  ] as const) {
    const refused = await send(asReporter, address, `${address}/notes`, { ...note, from_line, line })
    const { faults } = readDocument(refused.text)
    expect([from_line, refused.status, refused.text.includes('id="note-from_line-error"'), faults]).toEqual([from_line, 422, true, []])
  }
  const single = await send(asReporter, address, `${address}/notes`, { ...note, from_line: '10', line: '10', body: 'One line' })
  expect(single.status).toBe(303)
  const after = (await forge.as(owner).get(`/projects/${project.id}/merge_requests/${iid}/discussions`)).body
  expect(after.map(({ notes }: { notes: Array<{ position: { line_range: unknown } }> }) => notes[0]?.position.line_range)).toContain(null)
})

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

test('a review has a summary and a verdict: an approval, a request for changes, or neither', async () => {
  const { project, iid, address } = await proposed()
  const api = `/projects/${project.id}/merge_requests/${iid}`
  const submit = (browser: Browser, fields: Record<string, string>) =>
    send(browser, address, `${address}/review`, { act: 'submit', ...fields })
  for (const [verdict, sentence] of [
    ['comment', sentences.emptyReview],
    ['request', sentences.noSummary],
  ] as const) {
    const empty = await submit(me, { verdict, body: '  ' })
    expect([empty.status, empty.text.includes(sentence), readDocument(empty.text).faults]).toEqual([422, true, []])
  }
  const approvers = async () => ((await forge.as(owner).get(`${api}/approvals`)).body.approved_by as unknown[]).length
  expect((await submit(me, { verdict: 'approve', body: 'Well done' })).status).toBe(303)
  const twice = await submit(me, { verdict: 'approve', body: 'Said twice' })
  expect([twice.status >= 400, await approvers()]).toEqual([true, 1])
  const bodies = async () => (await forge.as(owner).get(`${api}/notes`)).body.map(({ body }: { body: string }) => body)
  expect([(await bodies()).includes('Well done'), (await bodies()).includes('Said twice')]).toEqual([true, false])
  const refused = await submit(asReporter, { verdict: 'approve', body: 'Not mine to say' })
  expect([refused.status, refused.text.includes('Not mine to say'), await approvers()]).toEqual([403, true, 1])
  expect((await submit(me, { verdict: 'request', body: 'One thing first' })).status).toBe(303)
  expect([await approvers(), (await bodies()).includes('One thing first')]).toEqual([0, true])
  expect((await submit(asStranger, { verdict: 'comment', body: 'Hello' })).status).toBe(404)
})

test('the overview shows the code that a discussion is about, as it was when it began', async () => {
  const { project, iid, address } = await proposed()
  const refs = await refsAt(me, address)
  const note = { ...refs, path: 'a.txt', line: '10', line_type: 'new', body: 'Why this?' }
  expect((await send(me, address, `${address}/notes`, note)).status).toBe(303)
  await forge.as(owner).post(`/projects/${project.id}/repository/commits`, {
    branch: 'topic',
    commit_message: 'Again',
    actions: [{ action: 'update', file_path: 'a.txt', content: lines(1, 60) }],
  })
  const { text, status } = await me.get(`/${project.full_path}/merge_requests/${iid}`)
  expect([status, readDocument(text).faults]).toEqual([200, []])
  const shown = /<table class="diff u said-about">.*?<\/table>/s.exec(text)?.[0].replaceAll(/<[^>]+>/g, ' ') ?? ''
  expect(shown).toMatch(/line 8\D.*line 9\D.*line 10\D.*changed/s)
  expect(shown).not.toMatch(/line 7\D|line 11/)
})

test('a viewed file is folded until it changes, and versions are compared', onPostgresAlone('1 s of processor.'), async () => {
  const { project, address } = await proposed()
  const { text } = await me.get(address)
  const oid = /name="path" value="b.txt"><input type="hidden" name="oid" value="([0-9a-f]+)"/.exec(text)?.[1] ?? ''
  expect((await send(me, address, `${address}/viewed`, { path: 'b.txt', oid, viewed: 'true', back: address })).status).toBe(303)
  expect((await send(me, address, `${address}/viewed`, { path: 'none', oid, viewed: 'true' })).status).toBe(404)
  expect(text).toContain(sentences.viewedOf(0, 2))
  expect((await me.get(address)).text).toContain(sentences.viewedOf(1, 2))
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
  const since = /href="([^"]*from=\d+)">Since I last looked/.exec(now)?.[1] ?? ''
  const { status, text: compared } = await me.get(since)
  expect([status, readDocument(compared).faults]).toEqual([200, []])
  expect(compared).toContain('1 changed file')
  expect((await me.get(`${address}?version=999999`)).status).toBe(404)
})

test('after a rebase a comparison of versions shows what was changed in the merge request, and says where it can not', async () => {
  const { project, address, iid } = await proposed()
  const at = `/projects/${project.id}`
  const commit = (branch: string, content: string, more: object = {}) =>
    forge.as(owner).post(`${at}/repository/commits`, {
      ...{ branch, commit_message: 'Change', ...more },
      actions: [{ action: 'update', file_path: 'a.txt', content }],
    })
  await commit('main', `${lines(1, 39)}of main\n${lines(41, 60)}`)
  expect((await forge.as(owner).put(`${at}/merge_requests/${iid}/rebase`)).status).toBe(202)
  await forge.drain()
  await commit('topic', `${lines(1, 9)}changed\nagain\n${lines(12, 39)}of main\n${lines(41, 60)}`)
  const versions = async () => (await forge.as(owner).get(`${at}/merge_requests/${iid}/versions`)).body.map(({ id }: { id: number }) => id)
  await forge.drain()
  const [newest, rebased, first] = await versions()
  const shown = async (query: string) => {
    const { status, text } = await me.get(`${address}?${query}`)
    expect([status, readDocument(text).faults]).toEqual([200, []])
    return text
  }
  const between = await shown(`version=${newest}&from=${first}`)
  expect([between.includes(sentences.interdiff.clean), between.includes('of main'), between.includes('1 changed file')]).toEqual([
    true,
    false,
    true,
  ])
  expect([between.includes('again'), between.includes(sentences.interdiff.notes), between.includes('name="body"')]).toEqual([
    true,
    true,
    true,
  ])
  expect(await shown(`version=${rebased}&from=${first}`)).toContain(sentences.interdiff.same)
  const whole = await shown(`version=${newest}&from=${first}&whole=1`)
  expect([whole.includes('of main'), whole.includes(sentences.interdiff.clean)]).toEqual([true, false])
  // A version whose file list was cut can't be carried to another base.
  const state = (value: 'overflow' | 'collected') =>
    forge.app.db.updateTable('merge_request_versions').set({ state: value }).where('id', '=', first).execute()
  await state('overflow')
  expect(await shown(`version=${newest}&from=${first}`)).toContain(sentences.interdiff.unclear)
  await state('collected')
  // The target has another line where the first version has its own.
  await commit('main', `${lines(1, 9)}other\n${lines(11, 60)}`)
  await commit('topic', `${lines(1, 9)}mine\n${lines(11, 60)}`, { start_branch: 'main', force: true })
  await forge.drain()
  const [last] = await versions()
  expect(await shown(`version=${last}&from=${first}`)).toContain(sentences.interdiff.unclear)
})

test(
  'a discussion of the overview links to its line and back, and changing a note leads back to the line',
  onPostgresAlone('Half a second of processor.'),
  async () => {
    const { project, address, iid } = await proposed()
    const request = address.replace(/\/diffs$/, '')
    const refs = await refsAt(me, address)
    const written = await send(me, address, `${address}/notes`, { ...refs, path: 'a.txt', line: '10', line_type: 'new', body: 'Here' })
    const id = /discussions\/([0-9a-f]{40})/.exec(String(written.location))?.[1] ?? ''
    const line = `${address}/discussions/${id}`
    const overview = (await me.get(request)).text
    expect(overview).toMatch(new RegExp(`href="${line}"><bdi>a.txt, line 10</bdi>`))
    const { text } = await me.get(address)
    expect(text).toContain(`href="${request}/discussions/${id}"`)
    expect((await me.get(`${request}/discussions/${id}`)).location).toBe(`${request}#discussion_${id}`)
    expect((await asStranger.get(`${request}/discussions/${id}`)).status).toBe(404)

    const [, edit = ''] = /href="([^"]*\/notes\/\d+\/edit\?back=[^"]*)"/.exec(text) ?? []
    const note = edit.slice(0, edit.indexOf('/edit'))
    const form = await me.get(edit)
    expect([form.status, readDocument(form.text).faults, fieldOf(form.text, 'back')]).toEqual([200, [], line])
    expect((await send(me, edit, note, { body: 'Here!', back: line })).location).toBe(line)
    expect((await send(me, edit, note, { body: 'Here!', back: 'https://elsewhere.example' })).location).toMatch(/#note_\d+$/)
    expect((await send(me, address, `${note}/emoji`, { name: 'tada', back: line })).location).toBe(line)
    expect((await send(me, address, `${note}/delete`, { back: line })).location).toBe(line)
    expect((await me.get(line)).location).toBe(address)
    await forge.as(owner).put(`/projects/${project.id}/merge_requests/${iid}`, { state_event: 'close' })
  },
)

test(
  'the link back finds the page of a long overview',
  inFullRun('1 s of processor. The link back is followed above, on one page.'),
  async () => {
    const { project, address, iid } = await proposed()
    const request = address.replace(/\/diffs$/, '')
    for (let index = 0; index < 101; index += 1)
      await forge.as(owner).post(`/projects/${project.id}/merge_requests/${iid}/notes`, { body: `Note ${index}` })
    const refs = await refsAt(me, address)
    const written = await send(me, address, `${address}/notes`, { ...refs, path: 'a.txt', line: '10', line_type: 'new', body: 'Last' })
    const id = /discussions\/([0-9a-f]{40})/.exec(String(written.location))?.[1] ?? ''
    const back = await me.get(`${request}/discussions/${id}`)
    expect(back.location).toBe(`${request}?page=2#discussion_${id}`)
    expect((await me.get(`${request}?page=2`)).text).toContain(`id="discussion_${id}"`)
  },
)

test('a comment stands at a point of a picture, and points outside of it are refused', async () => {
  const project = await forge.project({ owner, reporter, visibility: 'private', commits: [{ files: { 'logo.png': 'a\0b' } }] })
  const actions = [{ action: 'update', file_path: 'logo.png', content: Buffer.from('a\0c').toString('base64'), encoding: 'base64' }]
  const commit = { branch: 'topic', start_branch: 'main', commit_message: 'Change', actions }
  await forge.as(owner).post(`/projects/${project.id}/repository/commits`, commit)
  const { iid } = await forge.mergeRequest(project, owner, { source_branch: 'topic' })
  const address = `/${project.full_path}/merge_requests/${iid}/diffs`
  const note = { ...(await refsAt(me, address)), path: 'logo.png', body: 'This corner' }
  const point = { x: '25', y: '40', width: '100', height: '80' }
  for (const wrong of [{ x: '-1' }, { x: '101' }, { y: '81' }, { width: '' }, { x: '2.5' }, { height: '9999999' }]) {
    const { status, text } = await send(me, address, `${address}/notes`, { ...note, ...point, ...wrong })
    expect([wrong, status, text.includes('This corner')]).toEqual([wrong, 422, true])
  }
  expect((await send(me, address, `${address}/notes`, { ...note, ...point })).status).toBe(303)
  const { text } = await me.get(address)
  expect(readDocument(text).faults).toEqual([])
  expect(text).toMatch(/<a href="#discussion_[0-9a-f]{40}" aria-label="Comment 1">\s*<circle cx="25.00%" cy="50.00%"/)
  const { body } = await forge.as(owner).get(`/projects/${project.id}/merge_requests/${iid}/discussions`)
  expect(body.at(-1).notes[0].position).toMatchObject({ position_type: 'image', x: 25, y: 40, width: 100, height: 80 })
})

test(
  'several suggestions are applied as one commit, and such as overlap or that nobody selected are not',
  inFullRun('1 s of processor. One suggestion is applied from the overview by `merge-requests.pages.test.ts`.'),
  async () => {
    const { project, address } = await proposed()
    const refs = await refsAt(me, address)
    const suggest = async (line: string, text: string) => {
      const body = `\`\`\`suggestion\n${text}\n\`\`\``
      expect((await send(asReporter, address, `${address}/notes`, { ...refs, path: 'a.txt', line, line_type: 'new', body })).status).toBe(
        303,
      )
    }
    await suggest('10', 'better')
    expect((await me.get(address)).text).not.toContain('name="ids[]"')
    await suggest('11', 'eleven')
    await suggest('11', 'other')
    const { text } = await me.get(address)
    expect(readDocument(text).faults).toEqual([])
    expect(text).toContain(suggestionSentences.canBeApplied(3))
    const ids = [...text.matchAll(/name="ids\[\]" value="(\d+)"/g)].map(([, id = '']) => id)
    expect(ids).toHaveLength(3)
    const [first = '', second = '', third = ''] = ids
    const apply = (browser: Browser, fields: Record<string, string>) => send(browser, address, `${address}/suggestions`, fields)
    expect((await apply(me, {})).status).toBe(400)
    expect((await apply(me, { 'ids[0]': second, 'ids[1]': third })).status).toBe(400)
    expect((await apply(asReporter, { 'ids[0]': first })).status).toBe(403)
    const done = await apply(me, { 'ids[0]': first, 'ids[1]': second, message: 'Take both' })
    expect([done.status, done.location]).toEqual([303, address])
    const { body: commits } = await forge.as(owner).get(`/projects/${project.id}/repository/commits?ref_name=topic`)
    expect(commits.map(({ title }: { title: string }) => title)).toEqual(['Take both', 'Change', 'First'])
    const file = await forge.as(owner).get(`/projects/${project.id}/repository/files/a.txt/raw?ref=topic`)
    expect(file.text.split('\n').slice(9, 11)).toEqual(['better', 'eleven'])
  },
)
