/** Issues of groups and of the dashboard, as pages, feeds and calendars: whose they are, who reads them, and what they cost. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

const password = 'correct horse battery'
let forge: Forge
let owner: TestUser
let guest: TestUser
let stranger: TestUser
let group: Awaited<ReturnType<Forge['group']>>
let project: TestProject
let me: Browser
let asGuest: Browser
let asStranger: Browser
let anonymous: Browser

const titlesIn = (text: string) => [...text.matchAll(/<a href="[^"]*\/issues\/\d+"><bdi>([^<]*)</g)].map(([, title]) => title)
const summariesIn = (text: string) => [...text.matchAll(/\nSUMMARY:(.*?) \(in/g)].map(([, title]) => title)
const entriesIn = (text: string) => [...text.matchAll(/<entry>.*?<title type="html">(.*?)<\/title>/gs)].map(([, title]) => title)

beforeAll(async () => {
  forge = await testForge()
  ;[owner, guest, stranger] = await Promise.all([forge.user({ password }), forge.user({ password }), forge.user({ password })])
  group = await forge.group({ owner, guest, visibility: 'private' })
  project = await forge.project({ group, owner, visibility: 'private' })
  me = await signedIn(forge, owner)
  asGuest = await signedIn(forge, guest)
  asStranger = await signedIn(forge, stranger)
  anonymous = browserOf(forge.server)
  await forge.issue(project, owner, { title: 'Plain', due_date: '2030-05-01' })
  await forge.issue(project, owner, { title: 'Yours', assignee_ids: [guest.id], due_date: '2030-04-01' })
  await forge.issue(project, owner, { title: 'Secret', confidential: true, due_date: '2030-03-01' })
  await forge.issue(project, guest, { title: 'No date' })
})

test('a group lists the issues of its projects, and leaves out archived ones and what is confidential', async () => {
  const address = `/groups/${group.full_path}/-/issues`
  const old = await forge.project({ group, visibility: 'private' })
  await forge.issue(old, owner, { title: 'Old' })
  await forge.as(owner).post(`/projects/${old.id}/archive`)
  expect(titlesIn((await me.get(address)).text)).toEqual(['No date', 'Secret', 'Yours', 'Plain'])
  const { text } = await asGuest.get(address)
  expect(titlesIn(text)).toEqual(['No date', 'Yours', 'Plain'])
  expect(text).toContain('Open 3')
  expect(text).toContain(`${project.full_path}#`)
  expect(text).not.toContain('bulk_update')
  expect(titlesIn((await me.get(`${address}?search=secret`)).text)).toEqual(['Secret'])
  expect((await me.get(`${address}?search=nothing`)).text).toContain('No issue matches.')
  expect((await me.get(`${address}?state=strange`)).status).toBe(400)
  expect([(await asStranger.get(address)).status, (await anonymous.get(address)).status]).toEqual([404, 404])
  const empty = await forge.group({ owner })
  expect((await me.get(`/groups/${empty.full_path}/-/issues`)).text).toContain('There are no issues yet.')
})

test('the dashboard lists what is assigned to the user, what they created, or all they can see', async () => {
  const found = async (query = '') => titlesIn((await asGuest.get(`/dashboard/issues${query}`)).text)
  expect(await found()).toEqual(['Yours'])
  expect(await found('?scope=created_by_me')).toEqual(['No date'])
  expect(await found('?scope=all')).toEqual(['No date', 'Yours', 'Plain'])
  expect(await found('?scope=all&search=plain')).toEqual(['Plain'])
  const page = (await asGuest.get('/dashboard/issues?scope=all&search=plain')).text
  expect(page).toContain('<input type="hidden" name="scope" value="all">')
  expect((await asStranger.get('/dashboard/issues')).text).toContain('No open issue is assigned to you.')
  expect((await anonymous.get('/dashboard/issues')).location).toContain('/users/sign_in')
})

test('each menu of a list narrows it by a link and by a field, and keeps what the list is narrowed to already', async () => {
  const own = await forge.project({ owner, guest, visibility: 'private' })
  const at = `/${own.full_path}/issues`
  await forge.as(owner).post(`/projects/${own.id}/labels`, { name: 'a & b', color: '#d9534f' })
  await forge.as(owner).post(`/projects/${own.id}/issues`, { title: 'Labelled', labels: 'a & b', assignee_ids: [owner.id] })
  await forge.issue(own, guest, { title: 'Of nobody' })
  const { text } = await me.get(`${at}?search=l&sort=title_asc`)
  const menu = (label: string) => new RegExp(`<summary[^>]*>${label}</summary>(.*?)</details>`, 's').exec(text)?.[1] ?? ''
  const linksOf = (label: string) => [...menu(label).matchAll(/href="([^"]*)"[^>]*>([^<]*)</g)].map(([, href = '', words]) => [words, href])
  expect(['Author', 'Assignee', 'Labels', 'Milestone', 'More'].map((label) => menu(label).includes('<input'))).not.toContain(false)
  expect(linksOf('Author')).toEqual([['You', `${at}?search=l&amp;author_username=${owner.username}&amp;sort=title_asc`]])
  expect(linksOf('Assignee')[1]).toEqual(['Nobody', `${at}?search=l&amp;assignee_username=None&amp;sort=title_asc`])
  expect(linksOf('Sort')).toContainEqual(['Oldest', `${at}?search=l&amp;sort=created_asc`])
  expect(menu('Sort')).toMatch(/aria-current="true">Title</)
  for (const [query, titles] of [
    ['assignee_username=None', ['Of nobody']],
    [`author_username=${owner.username}`, ['Labelled']],
    ['label_name[]=None', ['Of nobody']],
    ['label_name[]=a+%26+b&assignee_username=&milestone_title=', ['Labelled']],
    ['author_username=nobody-of-this-name', []],
    ['label_name[]=%22%3E%3Cscript%3E', []],
  ] as const)
    expect([query, titlesIn((await me.get(`${at}?${query}`)).text)]).toEqual([query, titles])
  expect((await me.get(`${at}?label_name[]=%22%3E%3Cscript%3E`)).text).not.toContain('"><script>')
  expect((await me.get(`${at}?label_name[]=a+%26+b`)).text).toContain(`<a href="${at}" aria-label="Remove the filter Label: a &amp; b">`)
  const publicOne = await forge.project({ owner, visibility: 'public' })
  const seen = (await anonymous.get(`/${publicOne.full_path}/issues`)).text
  expect([seen.includes('<name-picker'), seen.includes('>You</a>'), seen.includes('>Nobody</a>')]).toEqual([false, false, true])
})

test('feeds and calendars have the issues of their list, for the same people, by session or feed token', async () => {
  const places = [`/${project.full_path}/issues`, `/groups/${group.full_path}/-/issues`]
  for (const place of places) {
    for (const kind of ['atom', 'ics']) {
      const address = `${place}.${kind}`
      const statuses = [
        (await anonymous.get(address)).status,
        (await asStranger.get(address)).status,
        (await anonymous.get(`${address}?feed_token=${stranger.feed_token}`)).status,
        (await anonymous.get(`${address}?feed_token=wrong`)).status,
      ]
      expect([address, statuses]).toEqual([address, [404, 404, 404, 404]])
    }
    const token = `?feed_token=${guest.feed_token}`
    const atom = await anonymous.get(`${place}.atom${token}`)
    expect(atom.headers['content-type']).toBe('application/atom+xml; charset=utf-8')
    expect(entriesIn(atom.text)).toEqual(['No date', 'Yours', 'Plain'])
    const ics = await anonymous.get(`${place}.ics${token}`)
    expect(ics.headers['content-type']).toBe('text/calendar; charset=utf-8')
    expect(summariesIn(ics.text)).toEqual(['Yours', 'Plain'])
    expect(summariesIn((await me.get(`${place}.ics`)).text)).toEqual(['Secret', 'Yours', 'Plain'])
    expect(entriesIn((await anonymous.get(`${place}.atom${token}&search=plain`)).text)).toEqual(['Plain'])
  }
  const own = '/dashboard/issues'
  expect([(await anonymous.get(`${own}.atom`)).status, (await anonymous.get(`${own}.ics`)).status]).toEqual([401, 401])
  expect(summariesIn((await anonymous.get(`${own}.ics?feed_token=${guest.feed_token}`)).text)).toEqual(['Yours'])
  expect(entriesIn((await anonymous.get(`${own}.atom?feed_token=${guest.feed_token}`)).text)).toEqual(['Yours'])
  const { text } = await asGuest.get(`${places[0]}?search=plain`)
  expect(text).toContain(`${places[0]}.ics?search=plain&amp;feed_token=${guest.feed_token}`)
  expect(text).not.toContain(owner.feed_token ?? 'none')
})

test('a hostile title stays a value in feeds and calendars', async () => {
  const own = await forge.project({ owner, visibility: 'public' })
  const title = '</title>;,\\ "q" END:VEVENT 🎉'
  await forge.issue(own, owner, { title, due_date: '2030-01-01' })
  const ics = (await anonymous.get(`/${own.full_path}/issues.ics`)).text.replaceAll('\r\n ', '')
  expect(ics).toContain(`SUMMARY:</title>\\;\\,\\\\ "q" END:VEVENT 🎉 (in ${own.full_path})\r\n`)
  expect(ics.match(/^END:VEVENT/gm)).toHaveLength(1)
  const atom = (await anonymous.get(`/${own.full_path}/issues.atom`)).text
  expect(atom.match(/<\/title>/g)).toHaveLength(2)
})

test('lists, feeds and calendars cost a fixed number of statements', async () => {
  const place = await forge.group({ owner })
  const own = await forge.project({ group: place })
  const base = `/groups/${place.full_path}/-/issues`
  const costs = async () => {
    const found: number[] = []
    for (const address of [base, `${base}.atom`, `${base}.ics`, '/dashboard/issues?scope=created_by_me', '/dashboard/milestones']) {
      await me.get(address)
      found.push((await forge.cost(() => me.get(address))).statements)
    }
    return found
  }
  const milestone = (title: string) => forge.as(owner).post(`/groups/${place.id}/milestones`, { title })
  const fill = async (count: number, name: string) => {
    for (let index = 0; index < count; index += 1) {
      const { body } = await milestone(`${name} ${index}`)
      await forge.issue(own, owner, { due_date: '2030-01-01', milestone_id: body.id, assignee_ids: [owner.id] })
    }
  }
  await fill(1, 'first')
  const few = await costs()
  await fill(8, 'more')
  expect(await costs()).toEqual(few)
})

test('the dashboard lists open milestones of the user’s places, with how far each is for them', async () => {
  const { body } = await forge.as(owner).post(`/projects/${project.id}/milestones`, { title: 'Spring', due_date: '2030-06-01' })
  const done = await forge.issue(project, owner, { milestone_id: body.id })
  await forge.as(owner).put(`/projects/${project.id}/issues/${done.iid}`, { state_event: 'close' })
  await forge.issue(project, owner, { milestone_id: body.id })
  await forge.issue(project, owner, { milestone_id: body.id, confidential: true })
  const { text } = await asGuest.get('/dashboard/milestones')
  expect(text).toContain(`/${project.full_path}/milestones/${body.iid}`)
  expect(text).toContain('1 of 2 issues closed')
  expect((await me.get('/dashboard/milestones?search=spring')).text).toContain('1 of 3 issues closed')
  expect((await me.get('/dashboard/milestones?search=autumn')).text).not.toContain('Spring')
  expect((await asStranger.get('/dashboard/milestones')).text).toContain('None of your projects and groups has an open milestone.')
  expect((await anonymous.get('/dashboard/milestones')).location).toContain('/users/sign_in')
})
