/** Ways to merge requests: tabs with counts, branches, pushed branches, completion and feeds; each only for users who may see them. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

const password = 'correct horse battery'
let forge: Forge
let owner: TestUser
let guest: TestUser
let stranger: TestUser
let me: Browser
let asGuest: Browser
let asStranger: Browser
let anonymous: Browser

beforeAll(async () => {
  forge = await testForge()
  ;[owner, guest, stranger] = await Promise.all([forge.user({ password }), forge.user({ password }), forge.user({ password })])
  me = await signedIn(forge, owner)
  asGuest = await signedIn(forge, guest)
  asStranger = await signedIn(forge, stranger)
  anonymous = browserOf(forge.server)
})

/** `main`, and `topic` with a commit more, written by the API. */
async function seeded(fields: Partial<Parameters<Forge['project']>[0]> = {}): Promise<TestProject> {
  const project = await forge.project({ owner, guest, visibility: 'private', files: { 'README.md': 'one\n' }, ...fields })
  const actions = [{ action: 'create', file_path: 'new.txt', content: 'new\n' }]
  const commit = { branch: 'topic', start_branch: 'main', commit_message: 'Add a file', actions }
  expect((await forge.as(owner).post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201)
  return project
}

const mergeRequestsIn = ({ full_path }: TestProject) => `/${full_path}/merge_requests`

test('the tabs of a project count open merge requests, and issues as far as the viewer may see confidential ones', async () => {
  const project = await seeded()
  const tab = async (browser: Browser, name: string) =>
    new RegExp(`href="/${project.full_path}/${name}"[^>]*>[^<]*(?:<span class="count">(\\d+)</span>)?`).exec(
      (await browser.get(`/${project.full_path}`)).text,
    )?.[1]
  expect([await tab(me, 'merge_requests'), await tab(me, 'issues')]).toEqual([undefined, undefined])
  await forge.mergeRequest(project, owner, { source_branch: 'topic' })
  await forge.issue(project, owner)
  await forge.issue(project, owner, { confidential: true })
  expect([await tab(me, 'merge_requests'), await tab(me, 'issues')]).toEqual(['1', '2'])
  expect([await tab(asGuest, 'merge_requests'), await tab(asGuest, 'issues')]).toEqual([undefined, '1'])
  await forge.as(owner).put(`/projects/${project.id}/merge_requests/1`, { state_event: 'close' })
  expect(await tab(me, 'merge_requests')).toBeUndefined()
})

test('what one has pushed to a branch is offered as a merge request, until it is proposed, and to nobody else', async () => {
  const project = await seeded({ visibility: 'public' })
  const offer = `${mergeRequestsIn(project)}/new?merge_request%5Bsource_branch%5D=topic`
  const offersIn = async (browser: Browser) => {
    const texts = [await browser.get(`/${project.full_path}`), await browser.get(mergeRequestsIn(project))].map(({ text }) => text)
    return texts.map((text) => text.includes('You pushed to') && text.includes(`href="${offer}"`))
  }
  expect(await offersIn(me)).toEqual([true, true])
  expect([await offersIn(asStranger), await offersIn(anonymous)]).toEqual([
    [false, false],
    [false, false],
  ])
  expect((await me.get(offer)).text).toContain('value="Add a file"')
  await forge.mergeRequest(project, owner, { source_branch: 'topic' })
  expect(await offersIn(me)).toEqual([false, false])
})

test('a push to the default branch, to a branch that is gone, or hours ago is no offer', async () => {
  const project = await seeded()
  const isOffered = async () => (await me.get(`/${project.full_path}`)).text.includes('You pushed to')
  expect(await isOffered()).toBe(true)
  await git(project.dir, 'update-ref', 'refs/heads/topic', 'refs/heads/main')
  expect(await isOffered()).toBe(false)
  const other = await seeded()
  const long = new Date(Date.now() - 3 * 3_600_000).toISOString()
  await forge.app.db.updateTable('events').set({ created_at: long }).where('project_id', '=', other.id).execute()
  expect((await me.get(`/${other.full_path}`)).text).not.toContain('You pushed to')
})

test('a branch leads to the merge request that proposes it, or to a new one', async () => {
  const project = await seeded()
  const address = `/${project.full_path}/branches`
  const proposal = `${mergeRequestsIn(project)}/new?merge_request%5Bsource_branch%5D=topic`
  expect((await me.get(address)).text).toContain(proposal)
  const { iid } = await forge.mergeRequest(project, owner, { source_branch: 'topic', title: 'Say <b>' })
  const { text } = await me.get(address)
  expect([text.includes(proposal), text.includes(`href="${mergeRequestsIn(project)}/${iid}"`)]).toEqual([false, true])
  expect(text).not.toContain('<b>Say')
})

test('merge requests are completed after ! for those who may see them, by number and by words', async () => {
  const project = await seeded()
  const { iid } = await forge.mergeRequest(project, owner, { source_branch: 'topic', title: 'Quicker start' })
  const found = async (browser: Browser, search: string) => {
    const answer = await browser.get(`/${project.full_path}/-/completions?key=!&search=${encodeURIComponent(search)}`)
    return (JSON.parse(answer.text) as Array<{ value: string }>).map(({ value }) => value)
  }
  expect([await found(me, ''), await found(me, String(iid)), await found(me, 'quick')]).toEqual([[`!${iid}`], [`!${iid}`], [`!${iid}`]])
  expect([await found(me, 'nothing'), await found(me, '99999999999999999999')]).toEqual([[], []])
  expect(await found(asGuest, 'quick')).toEqual([])
})

test('feeds list merge requests as their lists do, for the same people, by session or feed token', async () => {
  const group = await forge.group({ owner, guest, visibility: 'private' })
  const project = await seeded({ group })
  await forge.mergeRequest(project, owner, { source_branch: 'topic', title: '</title> & more', assignee_ids: [owner.id] })
  const entriesIn = (text: string) => [...text.matchAll(/<entry>.*?<title type="html">(.*?)<\/title>/gs)].map(([, title]) => title)
  for (const place of [mergeRequestsIn(project), `/groups/${group.full_path}/-/merge_requests`, '/dashboard/merge_requests']) {
    const { headers, text } = await anonymous.get(`${place}.atom?feed_token=${owner.feed_token}`)
    expect([place, headers['content-type']]).toEqual([place, 'application/atom+xml; charset=utf-8'])
    expect(entriesIn(text).length).toBe(1)
    expect(text).toContain(`${mergeRequestsIn(project)}/1`)
    expect(entriesIn((await me.get(`${place}.atom?search=nothing`)).text)).toEqual([])
  }
  expect((await me.get(mergeRequestsIn(project))).text).toContain(`${mergeRequestsIn(project)}.atom?feed_token=${owner.feed_token}`)
  const refused = [`${mergeRequestsIn(project)}.atom`, `/groups/${group.full_path}/-/merge_requests.atom`]
  for (const address of refused) {
    const statuses = [(await anonymous.get(address)).status, (await asStranger.get(address)).status]
    expect([address, statuses]).toEqual([address, [404, 404]])
  }
  expect((await asGuest.get(`${mergeRequestsIn(project)}.atom`)).status).toBe(403)
  expect(entriesIn((await asGuest.get(`/groups/${group.full_path}/-/merge_requests.atom`)).text)).toEqual([])
  expect((await anonymous.get('/dashboard/merge_requests.atom')).status).toBe(401)
})

test('the box about merging names the issues that the merge closes, as far as the viewer can see them', async () => {
  const project = await seeded({ visibility: 'public' })
  const plain = await forge.issue(project, owner, { title: 'Plain' })
  const secret = await forge.issue(project, owner, { title: 'Secret words', confidential: true })
  const request = { source_branch: 'topic', target_branch: 'main', title: 'Fix it', description: `Closes #${plain.iid} and #${secret.iid}` }
  const { body } = await forge.as(owner).post(`/projects/${project.id}/merge_requests`, request)
  await forge.drain()
  const closing = async (browser: Browser) =>
    /The merge closes (.*?)\.<\/span>/s
      .exec((await browser.get(`${mergeRequestsIn(project)}/${body.iid}`)).text)?.[1]
      ?.replaceAll(/<[^>]*>/g, '')
  expect([await closing(me), await closing(asStranger)]).toEqual([`#${plain.iid}, #${secret.iid}`, `#${plain.iid}`])
})
