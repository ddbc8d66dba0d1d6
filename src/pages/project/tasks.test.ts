/** Tasks on pages: who may tick them, that nothing else of a text changes, and what happens when two people do. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../test/support/browser.ts'
import { fixturePassword, signedIn } from '../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../test/support/forge.ts'

let forge: Forge
let project: TestProject
let owner: TestUser
let me: Browser
let stranger: Browser

const description = 'Plan:\r\n- [ ] Buy "milk"\r\n- [x] Sing\r\n  - [ ] Dance <b>\r\n\r\n```\r\n- [ ] code\r\n```'

beforeAll(async () => {
  forge = await testForge()
  const other = await forge.user({ password: fixturePassword })
  owner = await forge.user({ password: fixturePassword })
  project = await forge.project({ owner, visibility: 'public' })
  ;[me, stranger] = await Promise.all([signedIn(forge, owner), signedIn(forge, other)])
})

/** The task boxes of a page: the value that each button sends, by its label. */
async function tasksOn(browser: Browser, address: string): Promise<Map<string, string>> {
  const { text } = await browser.get(address)
  const buttons = text.matchAll(
    /<button class="task" role="checkbox" aria-checked="(?:true|false)" name="task" value="([^"]*)" aria-label="([^"]*)">/g,
  )
  return new Map([...buttons].map(([, value = '', name = '']) => [name, value]))
}

async function tokenOn(browser: Browser, page: string): Promise<string> {
  return /name="form_token" value="([^"]*)"/.exec((await browser.get(page)).text)?.[1] ?? ''
}

async function tick(browser: Browser, page: string, task: string, action = `${page}/tasks`) {
  return browser.post(action, { form_token: await tokenOn(browser, page), task })
}

test('a task of an issue is ticked in its line, by those who may edit it alone', async () => {
  const issue = await forge.issue(project, owner, { description })
  const page = `/${project.full_path}/issues/${issue.iid}`
  const now = async () => (await forge.as(owner).get(`/projects/${project.id}/issues/${issue.iid}`)).body.description
  const tasks = await tasksOn(me, page)
  expect([...tasks.keys()]).toEqual(['Buy &quot;milk&quot;', 'Sing', 'Dance'])
  expect([(await tasksOn(stranger, page)).size, (await tasksOn(browserOf(forge.server), page)).size]).toEqual([0, 0])
  const dance = tasks.get('Dance') ?? ''
  expect((await tick(stranger, page, dance)).status).toBe(403)
  const answer = await tick(me, page, dance)
  expect([answer.status, answer.location]).toEqual([303, page])
  expect(await now()).toBe(description.replace('- [ ] Dance', '- [x] Dance'))
  // Once more changes nothing, and a box that is ticked becomes open again.
  expect((await tick(me, page, dance)).status).toBe(303)
  await tick(me, page, (await tasksOn(me, page)).get('Sing') ?? '')
  expect(await now()).toBe(description.replace('- [ ] Dance', '- [x] Dance').replace('[x] Sing', '[ ] Sing'))
})

test('two people who tick at the same time both succeed, and who ticks what was changed is told', async () => {
  const lines = Array.from({ length: 8 }, (_, index) => `- [ ] task ${index}`)
  const issue = await forge.issue(project, owner, { description: lines.join('\n') })
  const page = `/${project.full_path}/issues/${issue.iid}`
  const tasks = await tasksOn(me, page)
  const form_token = await tokenOn(me, page)
  const first = tasks.get('task 0') ?? ''
  const sent = [first, ...tasks.values()].map((task) => me.post(`${page}/tasks`, { form_token, task }))
  expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([303]))
  const read = async () => (await forge.as(owner).get(`/projects/${project.id}/issues/${issue.iid}`)).body.description
  expect(await read()).toBe(lines.join('\n').replaceAll('[ ]', '[x]'))

  await forge.as(owner).put(`/projects/${project.id}/issues/${issue.iid}`, { description: '- [ ] another task' })
  const refused = await me.post(`${page}/tasks`, { form_token, task: first })
  expect([refused.status, refused.text.includes('Somebody has changed this task meanwhile.')]).toEqual([409, true])
  expect(await read()).toBe('- [ ] another task')
  for (const task of ['', 'x', '0-0:done', `${first}x`, '-1-0123456789ab:done'])
    expect([task, (await me.post(`${page}/tasks`, { form_token, task })).status]).toEqual([task, 400])
})

test('tasks of comments are ticked, and those of others stay as they are', async () => {
  const issue = await forge.issue(project, owner)
  const page = `/${project.full_path}/issues/${issue.iid}`
  const notes = `/projects/${project.id}/issues/${issue.iid}/notes`
  const { body: own } = await forge.as(owner).post(notes, { body: '- [ ] mine\n- [ ] too' })
  const tasks = await tasksOn(me, page)
  const address = `${page}/notes/${own.id}/tasks`
  const form_token = await tokenOn(me, page)
  const answers = await Promise.all([...tasks.values()].map((task) => me.post(address, { form_token, task })))
  const led = [303, `${page}#note_${own.id}`]
  expect(answers.map(({ status, location }) => [status, location])).toEqual([led, led])
  expect((await forge.as(owner).get(`${notes}/${own.id}`)).body.body).toBe('- [x] mine\n- [x] too')
  expect((await tick(stranger, page, tasks.get('mine') ?? '', address)).status).toBe(403)
  expect((await tasksOn(stranger, page)).size).toBe(0)
})

test('a merge request and a page of a wiki have them, too', async () => {
  const actions = [{ action: 'create', file_path: 'new', content: 'x' }]
  const at = `/projects/${project.id}`
  await forge.as(owner).post(`${at}/repository/commits`, { branch: 'side', start_branch: 'main', commit_message: 'x', actions })
  const sent = { source_branch: 'side', target_branch: 'main', title: 'Side', description: '- [ ] ready' }
  const { body: request } = await forge.as(owner).post(`${at}/merge_requests`, sent)
  const page = `/${project.full_path}/merge_requests/${request.iid}`
  expect((await tick(me, page, (await tasksOn(me, page)).get('ready') ?? '')).status).toBe(303)
  const { body } = await forge.as(owner).get(`/projects/${project.id}/merge_requests/${request.iid}`)
  expect(body.description).toBe('- [x] ready')

  const content = '---\ntitle: Plans\n---\n- [ ] [[Other page]]\n- [x] done'
  await forge.as(owner).post(`/projects/${project.id}/wikis`, { title: 'plans', content })
  const wiki = `/${project.full_path}/wikis/plans`
  const action = `/${project.full_path}/wikis/-/tasks/plans`
  const task = (await tasksOn(me, wiki)).get('Other page') ?? ''
  expect((await tasksOn(stranger, wiki)).size).toBe(0)
  expect((await tick(stranger, wiki, task, action)).status).toBe(403)
  for (const _ of ['once', 'twice']) expect((await tick(me, wiki, task, action)).status).toBe(303)
  expect((await forge.as(owner).get(`/projects/${project.id}/wikis/plans`)).body.content).toBe(content.replace('[ ]', '[x]'))
  const { text } = await me.get(`/${project.full_path}/wikis/-/history/plans`)
  expect(text.match(/updated page: plans/g)).toHaveLength(1)
})
