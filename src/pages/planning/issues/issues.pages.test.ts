/** The pages of issues: what they show and to whom, what their forms do, what they refuse, and what they cost. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { noticeAt } from '../../../../test/support/notices.ts'
import type { Issue } from '../../../db/tables.ts'

const password = 'correct horse battery'
let forge: Forge
let reporter: TestUser
let guest: TestUser
let owner: TestUser
let project: TestProject
let me: Browser
let asGuest: Browser
let anonymous: Browser

const at = (rest = '', of = project) => `/${of.full_path}/issues${rest}`
const titlesIn = (text: string) => [...text.matchAll(/<a href="[^"]*\/issues\/\d+"><bdi>([^<]*)</g)].map(([, title]) => title)
const readIssue = async ({ iid }: Issue, of = project) => (await forge.as(owner).get(`/projects/${of.id}/issues/${iid}`)).body
const label = (name: string) => forge.as(owner).post(`/projects/${project.id}/labels`, { name, color: '#336699' })

beforeAll(async () => {
  forge = await testForge()
  ;[owner, reporter, guest] = await Promise.all([forge.user({ password }), forge.user({ password }), forge.user({ password })])
  project = await forge.project({ owner, reporter, guest, visibility: 'public' })
  await Promise.all(['bug', 'two words'].map(label))
  me = await signedIn(forge, reporter)
  asGuest = await signedIn(forge, guest)
  anonymous = browserOf(forge.server)
})

test('the list is narrowed by what stands in its address, and says what it counts', async () => {
  const own = await forge.project({ owner, reporter, visibility: 'public' })
  const { body } = await forge.as(owner).post(`/projects/${own.id}/labels`, { name: 'bug', color: '#336699' })
  const milestone = await forge.as(owner).post(`/projects/${own.id}/milestones`, { title: 'One, two' })
  await forge.issue(own, owner, { title: 'Alpha', label_ids: [body.id] })
  await forge.issue(own, reporter, { title: 'Beta', assignee_ids: [owner.id], milestone_id: milestone.body.id })
  const gamma = await forge.issue(own, reporter, { title: 'Gamma' })
  await forge.as(owner).put(`/projects/${own.id}/issues/${gamma.iid}`, { state_event: 'close' })
  const found = async (query: string) => titlesIn((await anonymous.get(at(query, own))).text)
  expect(await found('')).toEqual(['Beta', 'Alpha'])
  expect(await found('?state=closed')).toEqual(['Gamma'])
  expect(await found('?state=all&sort=title_asc')).toEqual(['Alpha', 'Beta', 'Gamma'])
  expect(await found('?label_name[]=bug')).toEqual(['Alpha'])
  expect(await found('?label_name[]=None')).toEqual(['Beta'])
  expect(await found('?without_label=bug')).toEqual(['Beta'])
  expect(await found(`?author_username=${owner.username}`)).toEqual(['Alpha'])
  expect(await found(`?assignee_username=${owner.username}`)).toEqual(['Beta'])
  expect(await found('?milestone_title=One,+two')).toEqual(['Beta'])
  expect(await found('?search=alph')).toEqual(['Alpha'])
  const { text } = await anonymous.get(at('?search=nothing', own))
  expect(text).toContain('No issue matches.')
  expect((await anonymous.get(at('', own))).text).toMatch(/Open 2<.*Closed 1<.*All 3</s)
  expect((await anonymous.get(at('?state=strange', own))).status).toBe(400)
  const empty = await forge.project({ owner, visibility: 'public' })
  expect((await anonymous.get(at('', empty))).text).toContain('There are no issues yet.')
})

test('an issue is created with what its author may set; a wrong field keeps what was typed', async () => {
  const sent = await me.submit(at('/new'), at(), {
    title: 'From a form',
    description: 'Hello\n/label ~bug',
    assignee: owner.username,
    labels: 'fresh, two words',
    create_labels: 'true',
    due_date: '2030-02-01',
    confidential: 'false',
  })
  expect(sent.status).toBe(303)
  const { body } = await forge.as(owner).get(`/projects/${project.id}/issues/${sent.location?.split('/').pop()}`)
  expect(body).toMatchObject({ title: 'From a form', description: 'Hello', labels: ['bug', 'fresh', 'two words'], due_date: '2030-02-01' })
  expect(body.assignee.username).toBe(owner.username)
  for (const [fields, sentence] of [
    [{ title: ' ' }, 'blank'],
    [{ title: 'x'.repeat(256) }, 'too long'],
    [{ title: 'Kept', assignee: 'nobody-there' }, 'must be a user who can see the issue'],
    [{ title: 'Kept', labels: 'y'.repeat(256) }, 'Labels'],
  ] as const) {
    const refused = await me.submit(at('/new'), at(), { description: 'my long text', ...fields })
    expect([fields, refused.status, refused.text.includes('my long text'), refused.text.includes(sentence)]).toEqual([
      fields,
      422,
      true,
      true,
    ])
  }
  const half = await me.submit(at('/new'), at(), { title: 'Half', labels: 'bug, fre' })
  expect([half.status, half.text.includes('have no label yet: “fre”'), half.text.includes('name="create_labels"')]).toEqual([
    422,
    true,
    true,
  ])
  expect((await forge.as(owner).get(`/projects/${project.id}/labels?search=fre`)).body.map(({ name }: { name: string }) => name)).toEqual([
    'fresh',
  ])
  expect((await me.get(at('/new?issue[title]=Filled&issue[description]=in'))).text).toMatch(/value="Filled".*\nin<\/textarea>/s)
  expect((await asGuest.get(at('/new'))).text).not.toContain('name="labels"')
  expect((await anonymous.get(at('/new'))).location).toContain('/users/sign_in')
})

test('who may plan changes one thing at a time beside an issue, and reads what is wrong where they typed it', async () => {
  const issue = await forge.issue(project, owner, { title: 'Beside' })
  const page = at(`/${issue.iid}`)
  const change = (fields: Record<string, string>) => me.submit(page, `${page}/details`, fields)
  for (const fields of [
    { labels: 'bug' },
    { assignee: reporter.username },
    { due_date: '2031-01-01' },
    { estimate: '2h' },
    { spent: '30m' },
    { confidential: 'true' },
    { discussion_locked: 'true' },
  ])
    expect([fields, (await change(fields)).status]).toEqual([fields, 303])
  expect(await readIssue(issue)).toMatchObject({
    labels: ['bug'],
    due_date: '2031-01-01',
    confidential: true,
    discussion_locked: true,
    time_stats: { time_estimate: 7200, total_time_spent: 1800 },
  })
  expect((await change({ due_date: '' })).status).toBe(303)
  expect((await readIssue(issue)).due_date).toBe(null)
  const wrong = await change({ estimate: 'soon' })
  expect([wrong.status, wrong.text.includes('value="soon"'), /<details class="edit" open>/.test(wrong.text)]).toEqual([422, true, true])
  expect((await change({ due_date: '2018-13-40' })).status).toBe(422)
  expect((await me.submit(page, `${page}/state`)).status).toBe(303)
  expect((await readIssue(issue)).state).toBe('closed')
})

test('a guest comments, but plans nothing; a confidential issue is not there for them', async () => {
  const issue = await forge.issue(project, owner, { title: 'For all' })
  const secret = await forge.issue(project, owner, { title: 'Very secret', confidential: true })
  const { text } = await asGuest.get(at(`/${issue.iid}`))
  expect([text.includes('/details"'), text.includes('/notes"'), text.includes(`${issue.iid}/edit"`)]).toEqual([false, true, false])
  const token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const headers = { host: 'gitstead.test', origin: 'http://gitstead.test' }
  for (const [rest, fields] of [
    [`/${issue.iid}/details`, { labels: 'bug' }],
    [`/${issue.iid}/state`, { state_event: 'close' }],
    [`/${issue.iid}`, { title: 'Mine' }],
    [`/${issue.iid}/delete`, {}],
    [`/${issue.iid}/move`, { to: 'x/y' }],
    [`/${issue.iid}/links`, { target: '1', link_type: 'blocks' }],
    ['/bulk_update', { 'issues[]': String(issue.iid), state_event: 'close' }],
  ] as const)
    expect([rest, (await asGuest.post(at(rest), { ...fields, form_token: token }, headers)).status]).toEqual([rest, 403])
  for (const browser of [asGuest, anonymous]) {
    expect((await browser.get(at(`/${secret.iid}`))).status).toBe(404)
    expect((await browser.get(at('?search=secret'))).text).not.toContain('Very secret')
  }
  expect((await me.get(at(`/${secret.iid}`))).text).toContain('Very secret')
  expect((await readIssue(issue)).state).toBe('opened')
})

test('comments are written, answered, edited and deleted; their quick actions say what they did', async () => {
  const issue = await forge.issue(project, owner, { title: 'Talked about' })
  const page = at(`/${issue.iid}`)
  const write = (fields: Record<string, string>, browser = me) => browser.submit(page, `${page}/notes`, fields)
  const first = await write({ body: 'One **thing**', act: 'discussion' })
  expect(first.location).toMatch(/#note_\d+$/)
  const { body: discussions } = await forge.as(owner).get(`/projects/${project.id}/issues/${issue.iid}/discussions`)
  expect((await write({ body: 'An answer', discussion_id: discussions[0].id }, asGuest)).status).toBe(303)
  await forge.note(project, issue, owner, { body: 'A single comment' })
  const [, single] = (await forge.as(owner).get(`/projects/${project.id}/issues/${issue.iid}/discussions`)).body
  expect((await write({ body: 'Its first answer', discussion_id: single.id }, asGuest)).status).toBe(303)
  const shown = await asGuest.get(page)
  expect(shown.text).toMatch(/A single comment[\s\S]*<ol><li>[\s\S]*Its first answer/)
  expect(shown.text).toContain('One <strong>thing</strong>')
  expect(shown.text).toContain('An answer')
  const id = Number(first.location?.split('_').pop())
  const noteAt = `${page}/notes/${id}`
  expect((await asGuest.get(`${noteAt}/edit`)).status).toBe(403)
  expect((await me.submit(`${noteAt}/edit`, noteAt, { body: 'Another thing' })).status).toBe(303)
  expect((await me.submit(`${noteAt}/edit`, noteAt, { body: ' ' })).status).toBe(422)
  const acted = await write({ body: '/label ~bug\n/close' })
  expect(await noticeAt(me, acted.location)).toMatch(/bug.*[Cc]lose/)
  expect(await readIssue(issue)).toMatchObject({ state: 'closed', labels: ['bug'] })
  expect((await write({ body: ' ' })).status).toBe(422)
  const reopened = await write({ body: 'Once more', act: 'reopen' })
  expect([reopened.status, (await readIssue(issue)).state]).toEqual([303, 'opened'])
  expect((await me.submit(page, `${noteAt}/delete`)).status).toBe(303)
  expect((await me.get(page)).text).not.toContain('Another thing')
})

test('where the discussion is locked strangers read why they cannot comment, and a forged comment is refused', async () => {
  const issue = await forge.issue(project, owner, { title: 'Heated', discussion_locked: true })
  const stranger = await signedIn(forge, await forge.user({ password }))
  const { text } = await stranger.get(at(`/${issue.iid}`))
  expect(text).toContain('only members of the project can comment')
  const token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const headers = { host: 'gitstead.test', origin: 'http://gitstead.test' }
  const forged = await stranger.post(at(`/${issue.iid}/notes`), { body: 'I will', form_token: token }, headers)
  expect(forged.status).toBe(403)
  expect((await anonymous.get(at(`/${issue.iid}`))).text).toContain('/users/sign_in?return_to=')
})

test('an internal comment is seen by reporters alone', async () => {
  const issue = await forge.issue(project, owner)
  const page = at(`/${issue.iid}`)
  await me.submit(page, `${page}/notes`, { body: 'Between us', internal: 'true' })
  expect((await me.get(page)).text).toContain('Between us')
  for (const browser of [asGuest, anonymous]) expect((await browser.get(page)).text).not.toContain('Between us')
})

test('many issues are changed at once, all or none; nothing selected or chosen is refused', async () => {
  const one = await forge.issue(project, owner, { title: 'Many' })
  const page = at('?search=Many')
  const send = (fields: Record<string, string>) => me.submit(page, at('/bulk_update'), fields)
  const done = await send({ 'issues[]': String(one.iid), add_labels: 'bug', state_event: 'close', assignee: reporter.username })
  expect([done.status, done.location]).toEqual([303, at('?search=Many')])
  expect(await readIssue(one)).toMatchObject({ state: 'closed', labels: ['bug'], assignee: { username: reporter.username } })
  expect((await forge.as(owner).put(`/projects/${project.id}/issues/${one.iid}`, { state_event: 'reopen' })).status).toBe(200)
  expect((await send({ 'issues[]': String(one.iid), remove_labels: 'bug', assignee: 'None' })).status).toBe(303)
  expect(await readIssue(one)).toMatchObject({ labels: [], assignee: null })
  for (const [fields, sentence] of [
    [{ state_event: 'close' }, 'Select at least one issue.'],
    [{ 'issues[]': String(one.iid) }, 'Choose what to change.'],
    [{ 'issues[]': String(one.iid), assignee: 'nobody-there' }, 'must be a user who can see the issue'],
    [{ 'issues[]': String(one.iid), add_labels: 'z'.repeat(300), create_labels: 'true' }, 'edit-many panel" open'],
    [{ 'issues[]': String(one.iid), add_labels: 'hal' }, 'have no label yet: “hal”'],
  ] as const) {
    const refused = await send(fields)
    expect([fields, refused.status, refused.text.includes(sentence)]).toEqual([fields, 422, true])
  }
  expect((await asGuest.get(at())).text).not.toContain('bulk_update')
})

test('two who edit one description do not overwrite each other', async () => {
  const issue = await forge.issue(project, owner, { description: 'Before' })
  const page = at(`/${issue.iid}`)
  const edit = (description: string, seen: string) => me.submit(`${page}/edit`, page, { title: 'Same', description, seen })
  expect((await edit('Mine', '')).status).toBe(303)
  const late = await edit('Theirs', '')
  expect([late.status, late.text.includes('Theirs'), late.text.includes('Somebody has edited the issue meanwhile')]).toEqual([
    409,
    true,
    true,
  ])
  expect((await readIssue(issue)).description).toBe('Mine')
})

test('reactions, to-do items, subscriptions, links and moves have their buttons', async () => {
  const [issue, other] = [await forge.issue(project, owner), await forge.issue(project, owner, { title: 'The other one' })]
  const target = await forge.project({ owner, reporter, visibility: 'public' })
  const page = at(`/${issue.iid}`)
  const send = (rest: string, fields: Record<string, string> = {}) => me.submit(page, `${page}/${rest}`, fields)
  expect((await send('emoji', { name: 'thumbsup' })).status).toBe(303)
  expect((await readIssue(issue)).upvotes).toBe(1)
  expect((await me.get(page)).text).toContain('aria-pressed="true" title=":thumbsup:"')
  await send('emoji', { name: 'thumbsup' })
  expect((await readIssue(issue)).upvotes).toBe(0)
  expect((await send('emoji', { other: ':no_such_thing:' })).status).toBe(400)
  await send('todo')
  expect((await me.get(page)).text).toContain('Mark as done')
  await send('todo')
  expect((await me.get(page)).text).toContain('Add a to-do')
  await send('subscription')
  expect((await me.get(page)).text).toContain('Unsubscribe')
  expect((await send('links', { target: `#${other.iid}`, link_type: 'blocks' })).status).toBe(303)
  expect((await me.get(at(`/${other.iid}`))).text).toContain('Is blocked by')
  expect((await send('links', { target: '999999', link_type: 'blocks' })).status).toBe(422)
  expect((await send('links', { target: `#${issue.iid}`, link_type: 'blocks' })).status).toBe(422)
  const elsewhere = await forge.project({ owner, visibility: 'private' })
  for (const to of ['no/where', elsewhere.full_path, project.full_path])
    expect([to, (await send('move', { to })).status]).toEqual([to, 422])
  const moved = await send('move', { to: target.full_path })
  expect([moved.status, moved.location]).toEqual([303, at('/1', target)])
  expect((await me.get(page)).text).toContain('has moved to another project')
})

test('fields complete what the reader can see: issues, labels, milestones, people and quick actions', async () => {
  const secret = await forge.issue(project, owner, { title: 'Completed secret', confidential: true })
  const open = await forge.issue(project, owner, { title: 'Completed openly' })
  const ask = async (key: string, search: string, browser = asGuest) =>
    JSON.parse((await browser.get(`/${project.full_path}/-/completions?${new URLSearchParams({ key, search })}`)).text) as Array<{
      value: string
    }>
  const values = async (...args: Parameters<typeof ask>) => (await ask(...args)).map(({ value }) => value)
  expect(await values('#', 'completed')).toEqual([`#${open.iid}`])
  expect(await values('#', 'completed', me)).toEqual([`#${open.iid}`, `#${secret.iid}`])
  expect(await values('#', String(open.iid))).toEqual([`#${open.iid}`])
  expect(await values('~', 'two')).toEqual(['~"two words"'])
  expect(await values('@', reporter.username)).toEqual([`@${reporter.username}`])
  expect(await values('/', 'clo')).toEqual(['/close'])
  expect(await values('!', 'x')).toEqual([])
  expect((await asGuest.get(`/${project.full_path}/-/completions?key=%26`)).status).toBe(400)
  expect((await anonymous.get(`/${project.full_path}/-/completions?key=%23`)).location).toContain('/users/sign_in')
})

test('an archived project shows its issues and takes no changes; without the feature there are none', async () => {
  const own = await forge.project({ owner, reporter, visibility: 'public' })
  const issue = await forge.issue(own, owner)
  const page = at(`/${issue.iid}`, own)
  await forge.as(owner).post(`/projects/${own.id}/archive`)
  const { status, text } = await me.get(page)
  expect([status, text.includes('The project is archived'), /action="[^"]*\/(?:details|notes|state)"/.test(text)]).toEqual([
    200,
    true,
    false,
  ])
  expect((await me.get(at('/new', own))).status).toBe(403)
  await forge.as(owner).post(`/projects/${own.id}/unarchive`)
  await forge.as(owner).put(`/projects/${own.id}`, { issues_access_level: 'disabled' })
  expect((await me.get(page)).status).toBe(404)
  expect((await me.get(at('', own))).status).toBe(403)
  expect((await me.get(`/${own.full_path}`)).text).not.toContain(`href="${at('', own)}"`)
})

test('an issue and the list cost a fixed number of statements, however much there is', async () => {
  const own = await forge.project({ owner, reporter, visibility: 'public' })
  const issue = await forge.issue(own, owner, { description: 'See #1' })
  const page = at(`/${issue.iid}`, own)
  const write = (body: string) => forge.as(owner).post(`/projects/${own.id}/issues/${issue.iid}/notes`, { body })
  const costs = async () => {
    const found: number[] = []
    for (const address of [page, at('', own)]) {
      await me.get(address)
      found.push((await forge.cost(() => me.get(address))).statements)
    }
    return found
  }
  await write(`First, of #1 by @${reporter.username}`)
  await forge.issue(own, reporter, { label_ids: [], assignee_ids: [owner.id] })
  const few = await costs()
  for (let index = 0; index < 8; index += 1) {
    await write(`Note ${index} about #${index} by @${reporter.username}`)
    await forge.issue(own, index % 2 ? owner : reporter, { assignee_ids: [reporter.id] })
  }
  expect(await costs()).toEqual(few)
})

test('who may not edit an issue can neither close nor reopen it with a comment', async () => {
  const open = await forge.issue(project, owner)
  for (const body of ['', 'Not mine to close']) {
    const refused = await asGuest.submit(at(`/${open.iid}`), at(`/${open.iid}/notes`), { body, act: 'close' })
    expect(refused.status).toBe(403)
  }
  expect(await readIssue(open)).toMatchObject({ state: 'opened', user_notes_count: 0 })
  await forge.as(owner).put(`/projects/${project.id}/issues/${open.iid}`, { state_event: 'close' })
  expect((await asGuest.submit(at(`/${open.iid}`), at(`/${open.iid}/notes`), { body: '', act: 'reopen' })).status).toBe(403)
  expect(await readIssue(open)).toMatchObject({ state: 'closed' })
})

test('participants who have lost access to the issue are not shown beside it', async () => {
  const gone = await forge.user({ name: 'Gone Away' })
  const own = await forge.project({ owner, reporter, guest: gone })
  const issue = await forge.issue(own, gone)
  const faces = async () => /<p class="faces">(.*?)<\/p>/s.exec((await me.get(at(`/${issue.iid}`, own))).text)?.[1] ?? ''
  expect(await faces()).toContain('Gone Away')
  await forge.as(owner).delete(`/projects/${own.id}/members/${gone.id}`)
  expect(await faces()).not.toContain('Gone Away')
})
