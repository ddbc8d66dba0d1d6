/** Merge requests in a browser: what is shown to whom, what may be done from their pages, and what they cost. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { noticeAt } from '../../../../test/support/notices.ts'
import { suggestionSentences } from '../suggestions/sentences.ts'
import { mergeSentences, sentences } from './sentences.ts'

const password = 'correct horse battery'
let forge: Forge
let owner: TestUser
let developer: TestUser
let reporter: TestUser
let me: Browser
let asReporter: Browser
let asStranger: Browser

beforeAll(async () => {
  forge = await testForge()
  ;[owner, developer, reporter] = await Promise.all([forge.user({ password }), forge.user({ password }), forge.user({ password })])
  me = await signedIn(forge, owner)
  asReporter = await signedIn(forge, reporter)
  asStranger = await signedIn(forge, await forge.user({ password }))
})

/** `main`, and `topic` with a commit more. */
async function seeded(): Promise<TestProject> {
  const project = await forge.project({ owner, developer, reporter, visibility: 'private', files: { 'README.md': 'one\n' } })
  await propose(project, 'topic', { 'README.md': 'two\n' })
  return project
}

/** A branch of `main` with a commit that changes or adds these files. */
async function propose(project: TestProject, branch: string, files: Record<string, string>): Promise<void> {
  const actions = Object.entries(files).map(([file_path, content]) => ({
    action: file_path === 'README.md' ? 'update' : 'create',
    file_path,
    content,
  }))
  const commit = { branch, start_branch: 'main', commit_message: 'Change it <b>', actions }
  const { status } = await forge.as(owner).post(`/projects/${project.id}/repository/commits`, commit)
  expect(status).toBe(201)
}

const at = ({ full_path }: TestProject, iid: number | string = '') => `/${full_path}/merge_requests${iid === '' ? '' : `/${iid}`}`

const titlesIn = (text: string) => [...text.matchAll(/<a href="[^"]*\/merge_requests\/\d+"><bdi>([^<]*)</g)].map(([, title]) => title)

test('a merge request is shown with its branches, its people, its commits and its changes', async () => {
  const project = await seeded()
  const { iid } = await forge.mergeRequest(project, developer, { source_branch: 'topic', title: 'Say <two>', description: 'See **this**' })
  const address = at(project, iid)
  const { status, text } = await me.get(address)
  expect([status, readDocument(text).faults]).toEqual([200, []])
  expect(text).toContain('Say &lt;two&gt;')
  expect(text).toContain('<strong>this</strong>')
  expect(text).toMatch(/topic.*into.*main/s)
  expect(text).toContain(mergeSentences.ready)
  for (const [page, words] of [
    ['commits', 'Change it &lt;b&gt;'],
    ['pipelines', sentences.noPipelines],
    ['diffs', 'README.md'],
  ] as const) {
    const shown = await me.get(`${address}/${page}`)
    expect([page, shown.status, readDocument(shown.text).faults]).toEqual([page, 200, []])
    expect(shown.text).toContain(words)
  }
})

test('who may not read the code sees no merge request, and reporters see one without forms that work on it', async () => {
  const project = await seeded()
  const { iid } = await forge.mergeRequest(project, developer, { source_branch: 'topic' })
  const address = at(project, iid)
  expect([(await asStranger.get(address)).status, (await browserOf(forge.server).get(address)).status]).toEqual([404, 404])
  expect((await me.get(at(project, 999))).status).toBe(404)
  const { status, text } = await asReporter.get(address)
  expect(status).toBe(200)
  expect(text).toContain(mergeSentences.mayNot)
  for (const form of ['/merge"', '/details"', '/state"', '/edit"', '/approve"'])
    expect([form, text.includes(`${address}${form}`)]).toEqual([form, false])
  const token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] as string
  expect((await asReporter.post(`${address}/merge`, { form_token: token, sha: 'x' })).status).toBeGreaterThanOrEqual(400)
  expect((await asReporter.post(`${address}/state`, { form_token: token, state_event: 'close' })).status).toBe(403)
  await forge.as(owner).put(`/projects/${project.id}`, { merge_requests_access_level: 'disabled' })
  expect([(await me.get(address)).status, (await me.get(at(project))).status]).toEqual([404, 403])
  expect((await me.get(`/${project.full_path}`)).text).not.toContain(`href="${at(project)}"`)
})

test('branches are chosen, compared and proposed, and what can’t be proposed is said with the text kept', async () => {
  const project = await seeded()
  const choose = await me.get(`${at(project)}/new`)
  expect([choose.status, readDocument(choose.text).faults]).toEqual([200, []])
  expect(choose.text).toContain('<option value="topic">')
  const query = (source: string, target = 'main') =>
    `${at(project)}/new?merge_request[source_branch]=${source}&merge_request[target_branch]=${target}`
  expect((await me.get(query('gone'))).text).toContain(sentences.noSource)
  expect((await me.get(query('topic', 'gone'))).text).toContain(sentences.noSuchTarget)
  expect((await me.get(query('main'))).text).toContain(sentences.sameBranch)
  const { text, status } = await me.get(query('topic'))
  expect([status, readDocument(text).faults]).toEqual([200, []])
  expect(text).toContain('value="Change it &lt;b&gt;"')
  // The form previews the changes below it.
  expect(text).toMatch(/<diff-view.*<tr class="a"/s)
  const refused = await me.submit(query('topic'), at(project), { title: '', description: 'Kept' })
  expect([refused.status, refused.text.includes('Kept'), refused.text.includes('title-error')]).toEqual([422, true, true])
  const nobody = await me.submit(query('topic'), at(project), { title: 'One', reviewers: 'nobody-at-all' })
  expect([nobody.status, nobody.text.includes(sentences.notAssignable('nobody-at-all'))]).toEqual([422, true])
  const fields = { title: 'One', description: 'Text', reviewers: developer.username, labels: 'kind, new', create_labels: 'true' }
  const made = await me.submit(query('topic'), at(project), fields)
  expect([made.status, made.location]).toEqual([303, at(project, 1)])
  expect(await noticeAt(me, made.location)).toBe(sentences.created(1))
  const again = await me.submit(query('topic'), at(project), { title: 'Two' })
  expect([again.status, again.text.includes('Another open merge request already exists')]).toEqual([409, true])
  expect((await me.get(query('topic'))).text).toContain(sentences.existing(1))
  expect((await asReporter.get(`${at(project)}/new`)).text).toContain(sentences.noSourceProject.slice(0, 20))
})

test('a template of the repository fills in the description of a new one', async () => {
  const path = '.gitlab/merge_request_templates/Default.md'
  const project = await forge.project({
    owner,
    files: { [path]: '## Why <b>\n' },
  })
  await propose(project, 'topic', { a: '1' })
  const { text } = await me.get(`${at(project)}/new?merge_request[source_branch]=topic`)
  expect(text).toContain('## Why &lt;b&gt;')
  expect(text).toContain('<option value="Default">')
})

test('it is merged from its page as it was seen: one that has moved meanwhile is refused', async () => {
  const project = await seeded()
  const { iid } = await forge.mergeRequest(project, owner, { source_branch: 'topic' })
  const address = at(project, iid)
  const moved = await me.submit(address, `${address}/merge`, { sha: '0'.repeat(40) })
  expect([moved.status, moved.text.includes(mergeSentences.movedSince)]).toEqual([409, true])
  const merged = await me.submit(address, `${address}/merge`, { merge_commit_message: 'By hand' })
  expect([merged.status, await noticeAt(me, merged.location)]).toEqual([303, sentences.merged])
  expect(await git(project.dir, 'log', '-1', '--format=%s', 'main')).toBe('By hand')
  const { text } = await me.get(address)
  expect([text.includes('> Merged</span>'), text.includes(mergeSentences.sourceThere)]).toEqual([true, true])
  const removed = await me.submit(address, `${address}/remove_source_branch`)
  expect(await noticeAt(me, removed.location)).toBe(sentences.sourceRemoved)
  expect(await git(project.dir, 'branch', '--list', 'topic')).toBe('')
  expect((await me.get(address)).text).toContain(mergeSentences.sourceGone)
})

test('what stands in the way is said in words with what lifts it', async () => {
  const project = await seeded()
  const { iid } = await forge.mergeRequest(project, owner, { source_branch: 'topic', title: 'Draft: it' })
  const address = at(project, iid)
  const draft = (await me.get(address)).text
  expect(draft).toContain('This merge request is a draft.')
  expect(draft).not.toContain(`action="${address}/merge"`)
  const ready = await me.submit(address, `${address}/draft`, { draft: 'false' })
  expect(await noticeAt(me, ready.location)).toBe(sentences.ready)
  expect((await me.get(address)).text).toContain(`action="${address}/merge"`)
  await forge.as(owner).post(`/projects/${project.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Otherwise',
    actions: [{ action: 'update', file_path: 'README.md', content: 'three\n' }],
  })
  const clash = (await me.get(address)).text
  expect([clash.includes('conflicts with the target branch'), clash.includes(`href="${address}/conflicts"`)]).toEqual([true, true])
  expect(clash).not.toContain(`action="${address}/merge"`)
})

test('a failed pipeline names the job that it failed for, and nothing beside it says that all is well', async () => {
  const project = await seeded()
  const { iid } = await forge.mergeRequest(project, owner, { source_branch: 'topic' })
  const sha = await git(project.dir, 'rev-parse', 'topic')
  expect((await me.get(at(project, iid))).text).toContain(mergeSentences.ready)
  const status = { state: 'failed', name: 'unit <b>' }
  expect((await forge.as(owner).post(`/projects/${project.id}/statuses/${sha}`, status)).status).toBe(201)
  const { text } = await me.get(at(project, iid))
  expect(readDocument(text).faults).toEqual([])
  for (const part of ['Pipeline failed in', 'unit &lt;b&gt;', mergeSentences.readyButFailed]) expect(text).toContain(part)
  expect(text).not.toContain(mergeSentences.ready)
})

test('it is discussed, its discussions resolved, approved, closed and reopened, edited and deleted', async () => {
  const project = await seeded()
  const { iid } = await forge.mergeRequest(project, owner, { source_branch: 'topic' })
  const address = at(project, iid)
  const noted = await me.submit(address, `${address}/notes`, { body: 'Why **so**?', act: 'discussion' })
  expect([noted.status, noted.location?.startsWith(`${address}#note_`)]).toEqual([303, true])
  const action = /action="([^"]*\/discussions\/[0-9a-f]{40}\/resolve)"/.exec((await me.get(address)).text)?.[1] as string
  const resolved = await me.submit(address, action)
  expect(resolved.status).toBe(303)
  expect((await me.get(address)).text).toMatch(/Resolved by .*Why \*\*so\*\*\?/s)
  const approved = await me.submit(address, `${address}/approve`)
  expect(await noticeAt(me, approved.location)).toBe(sentences.approved)
  expect((await me.get(address)).text).toContain('Remove my approval')
  await me.submit(address, `${address}/unapprove`)
  for (const [state_event, notice] of [
    ['close', sentences.closed],
    ['reopen', sentences.reopened],
  ] as const) {
    const changed = await me.submit(address, `${address}/state`, { state_event })
    expect(await noticeAt(me, changed.location)).toBe(notice)
  }
  const detail = await me.submit(address, `${address}/details`, { assignee: developer.username })
  expect(detail.status).toBe(303)
  const wrong = await me.submit(address, `${address}/details`, { estimate: 'soon' })
  expect([wrong.status, readDocument(wrong.text).faults]).toEqual([422, []])
  const edit = await me.submit(`${address}/edit`, address, { title: 'Another', target_branch: 'gone' })
  expect([edit.status, edit.text.includes('target_branch-error')]).toEqual([422, true])
  const saved = await me.submit(`${address}/edit`, address, { title: 'Another' })
  expect([saved.status, (await me.get(address)).text.includes('Another')]).toEqual([303, true])
  const deleted = await me.submit(`${address}/edit`, `${address}/delete`)
  expect([deleted.location, (await me.get(address)).status]).toEqual([at(project), 404])
})

test('lists are narrowed by their address, and count by state; many are changed at once', async () => {
  const group = await forge.group({ owner, visibility: 'private' })
  const project = await forge.project({ owner, group, visibility: 'private' })
  for (const branch of ['one', 'two', 'three']) await propose(project, branch, { [branch]: branch })
  for (const [index, source_branch] of ['one', 'two', 'three'].entries()) {
    await forge.mergeRequest(project, owner, {
      source_branch,
      title: `Request ${source_branch}`,
      assignee_ids: index === 0 ? [owner.id] : [],
    })
  }
  const all = await me.get(at(project))
  expect([all.status, readDocument(all.text).faults, titlesIn(all.text)]).toEqual([
    200,
    [],
    ['Request three', 'Request two', 'Request one'],
  ])
  expect(all.text).toContain('Open 3')
  expect(titlesIn((await me.get(`${at(project)}?search=two`)).text)).toEqual(['Request two'])
  expect(titlesIn((await me.get(`${at(project)}?source_branch=one`)).text)).toEqual(['Request one'])
  expect((await me.get(`${at(project)}?state=merged`)).text).toContain(sentences.noneFound)
  const narrowed = (await me.get(`${at(project)}?search=two&label_name[]=a&label_name[]=b&author_username=ada`)).text
  expect(readDocument(narrowed).faults).toEqual([])
  const removals = [...narrowed.matchAll(/<a\s+href="([^"]*)"\s+aria-label="Remove the filter ([^"]*)"/g)].map(([, href, name]) => [
    name,
    decodeURIComponent(String(href).replaceAll('&amp;', '&')).split('?')[1],
  ])
  expect(Object.fromEntries(removals)).toMatchObject({
    'Text: two': 'author_username=ada&label_name[]=a&label_name[]=b',
    'Author: ada': 'search=two&label_name[]=a&label_name[]=b',
    'Label: a': 'search=two&author_username=ada&label_name[]=b',
  })
  expect((await me.get(`${at(project)}?state=strange`)).status).toBe(400)
  expect(titlesIn((await me.get(`/groups/${group.full_path}/-/merge_requests`)).text)).toHaveLength(3)
  expect(titlesIn((await me.get('/dashboard/merge_requests')).text)).toContain('Request one')
  expect((await asStranger.get('/dashboard/merge_requests')).text).toContain(sentences.noneOfYours)
  expect([
    (await asStranger.get(at(project))).status,
    (await asStranger.get(`/groups/${group.full_path}/-/merge_requests`)).status,
  ]).toEqual([404, 404])
  const none = await me.submit(at(project), `${at(project)}/bulk_update`, { state_event: 'close' })
  expect([none.status, none.text.includes(sentences.noneSelected)]).toEqual([422, true])
  const some = await me.submit(at(project), `${at(project)}/bulk_update`, { 'merge_requests[]': '1', state_event: 'close' })
  expect(await noticeAt(me, some.location)).toBe(sentences.changed(1))
  expect((await me.get(at(project))).text).toContain('Closed 1')
})

test('lists and pages cost a fixed number of statements, and no process once they are warm', async () => {
  const project = await seeded()
  const { iid } = await forge.mergeRequest(project, owner, { source_branch: 'topic' })
  const addresses = [
    at(project),
    '/dashboard/merge_requests?scope=all',
    at(project, iid),
    `${at(project, iid)}/commits`,
    `${at(project, iid)}/pipelines`,
  ]
  const costs = async () => {
    const found: unknown[] = []
    for (const address of addresses) {
      await me.get(address)
      found.push([address, await forge.cost(() => me.get(address))])
    }
    return found as Array<[string, { statements: number; processes: number }]>
  }
  await forge.as(owner).post(`/projects/${project.id}/merge_requests/${iid}/notes`, { body: 'First' })
  const few = await costs()
  expect(few.map(([, { processes }]) => processes)).toEqual(addresses.map(() => 0))
  for (let index = 0; index < 8; index += 1) {
    await git(project.dir, 'branch', `more-${index}`, 'topic')
    await forge.mergeRequest(project, owner, { source_branch: `more-${index}`, assignee_ids: [owner.id], reviewer_ids: [developer.id] })
    await forge.as(owner).post(`/projects/${project.id}/merge_requests/${iid}/notes`, { body: `Note ${index}` })
  }
  expect(await costs()).toEqual(few)
})

test('a suggestion is applied from the overview by who may push, and leads back to it', async () => {
  const project = await seeded()
  const { iid } = await forge.mergeRequest(project, owner, { source_branch: 'topic' })
  const api = `/projects/${project.id}/merge_requests/${iid}`
  const [{ base_commit_sha: base_sha, start_commit_sha: start_sha, head_commit_sha: head_sha }] = (
    await forge.as(owner).get(`${api}/versions`)
  ).body
  const position = { position_type: 'text', base_sha, start_sha, head_sha, new_path: 'README.md', new_line: 1 }
  const body = '```suggestion\nthree\n```'
  const opened = await forge.as(reporter).post(`${api}/discussions`, { body, position })
  const [note] = opened.body.notes
  const apply = `${at(project, iid)}/diffs/suggestions/${note.suggestions[0].id}/apply`
  expect((await asReporter.get(at(project, iid))).text).not.toContain(apply)
  const { text } = await me.get(at(project, iid))
  expect(readDocument(text).faults).toEqual([])
  expect(text).toContain(apply)
  const back = `${at(project, iid)}#note_${note.id}`
  const done = await me.submit(at(project, iid), apply, { back })
  expect([done.status, done.location]).toEqual([303, back])
  expect((await me.get(at(project, iid))).text).toContain(suggestionSentences.wasApplied)
  const file = await forge.as(owner).get(`/projects/${project.id}/repository/files/README.md/raw?ref=topic`)
  expect(file.text).toBe('three\n')
})
