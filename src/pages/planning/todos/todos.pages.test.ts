/** The page of to-do items: whose they are, marking them as done, undoing that, and what it costs. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { noticeAt } from '../../../../test/support/notices.ts'

const password = 'correct horse battery'
const page = '/dashboard/todos'
let forge: Forge
let user: TestUser
let other: TestUser
let project: TestProject
let me: Browser

beforeAll(async () => {
  forge = await testForge()
  ;[user, other] = await Promise.all([forge.user({ password }), forge.user({ password })])
  project = await forge.project({ owner: user, developer: other, visibility: 'private' })
  me = await signedIn(forge, user)
})

const todo = async (title: string, of = project) => {
  const issue = await forge.issue(of, user, { title })
  return (await forge.as(user).post(`/projects/${of.id}/issues/${issue.iid}/todo`)).body
}
const titlesIn = (text: string) => [...text.matchAll(/<a href="[^"]*\/issues\/\d+"><bdi>([^<]*)</g)].map(([, title]) => title)

test('nothing to do is said; who isn’t signed in is asked to', async () => {
  const idle = await signedIn(forge, await forge.user({ password }))
  expect((await idle.get(page)).text).toContain('Nothing to do')
  expect((await idle.get(`${page}?state=done`)).text).toContain('No to-do item is done yet.')
  expect((await idle.get(`${page}?project=no/such`)).text).toContain('No to-do item matches.')
  expect((await browserOf(forge.server).get(page)).location).toContain('/users/sign_in')
  expect((await idle.get(`${page}?action=strange`)).status).toBe(400)
})

test('one is marked as done, and put back by Undo; nobody marks those of others', async () => {
  const { id } = await todo('Read the letter')
  const done = await me.submit(page, `${page}/${id}/done`)
  expect([done.status, await noticeAt(me, done.location)]).toEqual([303, '1 to-do item marked as done.'])
  expect(titlesIn((await me.get(page)).text)).not.toContain('Read the letter')
  expect(titlesIn((await me.get(`${page}?state=done`)).text)).toContain('Read the letter')
  const undone = await me.submit(done.location ?? '', `${page}/restore`)
  expect([undone.status, titlesIn((await me.get(page)).text)]).toEqual([303, ['Read the letter']])
  const stranger = await signedIn(forge, other)
  const own = (await forge.as(other).post(`/projects/${project.id}/issues/1/todo`)).body
  const token = /name="form_token" value="([^"]+)"/.exec((await stranger.get(page)).text)?.[1] ?? ''
  const origin = { host: 'gitstead.test', origin: 'http://gitstead.test' }
  expect((await stranger.post(`${page}/${id}/done`, { form_token: token }, origin)).status).toBe(404)
  expect((await stranger.post(`${page}/${own.id}/done`, { form_token: token }, origin)).status).toBe(303)
  expect(titlesIn((await me.get(page)).text)).toEqual(['Read the letter'])
})

test('all that match are marked as done at once, and put back at once', async () => {
  const own = await forge.project({ owner: user })
  for (const title of ['One', 'Two', 'Three']) await todo(title, own)
  const list = `${page}?project=${encodeURIComponent(own.full_path)}`
  expect(titlesIn((await me.get(list)).text)).toHaveLength(3)
  const before = titlesIn((await me.get(page)).text).length
  const done = await me.submit(list, `${page}/done`)
  expect([done.status, await noticeAt(me, done.location)]).toEqual([303, '3 to-do items marked as done.'])
  expect(titlesIn((await me.get(page)).text)).toHaveLength(before - 3)
  const { text } = await me.get(done.location ?? '')
  const ids = [...text.matchAll(/name="ids\[\]" value="(\d+)"/g)].map(([, id]) => id)
  expect(ids).toHaveLength(3)
})

test('what the user can no longer see is not among them', async () => {
  const hidden = await forge.project({ owner: other, developer: user, visibility: 'private' })
  const issue = await forge.issue(hidden, other, { title: 'Hidden soon' })
  await forge.as(user).post(`/projects/${hidden.id}/issues/${issue.iid}/todo`)
  expect((await me.get(page)).text).toContain('Hidden soon')
  await forge.as(other).delete(`/projects/${hidden.id}/members/${user.id}`)
  expect((await me.get(page)).text).not.toContain('Hidden soon')
})

test('the page costs a fixed number of statements, however much there is to do', async () => {
  await todo('First')
  const cost = async () => {
    await me.get(page)
    return (await forge.cost(() => me.get(page))).statements
  }
  const few = await cost()
  for (let index = 0; index < 8; index += 1) await todo(`More ${index}`)
  expect(await cost()).toBe(few)
})
