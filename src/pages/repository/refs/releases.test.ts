/** Releases in a browser: what readers and guests see, and what developers change. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { fixturePassword as password, signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { noticeAt } from '../../../../test/support/notices.ts'
import { releaseSentences } from './sentences.ts'

let forge: Forge
let me: Browser
let project: TestProject
const at = (rest: string) => `/${project.full_path}/${rest}`

beforeAll(async () => {
  forge = await testForge()
  const developer = await forge.user({ password })
  me = await signedIn(forge, developer)
  project = await forge.project({ developer, visibility: 'public' })
})

const create = (fields: Record<string, string>) =>
  me.submit(at('releases/new'), at('releases'), { ref: 'main', tag_message: '', name: '', description: '', released_at: '', ...fields })

test('without releases the page says what one is, and offers to make one to those who may', async () => {
  const empty = await forge.project({ visibility: 'public' })
  const { text } = await browserOf(forge.server).get(`/${empty.full_path}/releases`)
  expect([text.includes(releaseSentences.none), text.includes('releases/new')]).toEqual([true, false])
})

test('a developer makes a release with its tag, and adds, changes and removes links', async () => {
  const made = await create({ tag_name: 'group/v1', name: 'One', description: '# What is new\n\nA lot' })
  const address = at('releases/group%2Fv1')
  expect([made.location, await noticeAt(me, made.location)]).toEqual([`${address}/edit`, releaseSentences.created('One')])
  expect(await git(project.dir, 'rev-parse', 'group/v1')).toBe(await git(project.dir, 'rev-parse', 'main'))
  const link = { name: 'Program', url: 'https://example.com/program', link_type: 'package', filepath: '/bin/program' }
  expect(await noticeAt(me, (await me.submit(`${address}/edit`, `${address}/links`, link)).location)).toBe(
    releaseSentences.linkAdded('Program'),
  )
  const samePath = { ...link, name: 'Other', url: 'https://example.com/other' }
  const twice = await me.submit(`${address}/edit`, `${address}/links`, samePath)
  expect([twice.status, readDocument(twice.text).faults]).toEqual([422, []])
  expect(twice.text).toContain('<p class="error" id="new-filepath-error">Filepath has already been taken</p>')
  const blocked = await me.submit(`${address}/edit`, `${address}/links`, { ...link, name: 'X', url: 'javascript:alert(1)' })
  expect(blocked.text).toContain('id="new-url-error"')
  expect(blocked.text).toContain('value="javascript:alert(1)"')
  const id = /links\/(\d+)"/.exec((await me.get(`${address}/edit`)).text)?.[1] as string
  await me.submit(`${address}/edit`, `${address}/links/${id}`, { ...link, name: 'The program' })
  for (const page of ['releases', 'releases/group/v1', 'releases/group%2Fv1', 'tags/group/v1']) {
    const { text, status } = await me.get(at(page))
    expect([page, status, readDocument(text).faults]).toEqual([page, 200, []])
    expect(text).toMatch(/<h2[^>]*>What is new<\/h2>/)
    expect(text).toContain('>The program</bdi>')
    expect(text).toContain('/-/releases/group%2Fv1/downloads/bin/program"')
    expect(text).toContain('/-/archive/refs%2Ftags%2Fgroup%2Fv1/')
  }
  expect(await noticeAt(me, (await me.submit(`${address}/edit`, `${address}/remove_link`)).location)).toBe(
    releaseSentences.linkRemoved('The program'),
  )
  expect((await me.get(address)).text).not.toContain('The program')
})

test('the newest release that is out is marked as the latest', async () => {
  const owner = await forge.user()
  const own = await forge.project({ owner, visibility: 'public' })
  const release = (tag_name: string, released_at: string) =>
    forge.as(owner).post(`/projects/${own.id}/releases`, { tag_name, ref: 'main', name: tag_name, released_at })
  await release('old', '2020-01-01T00:00:00Z')
  await release('new', '2021-01-01T00:00:00Z')
  await release('coming', '2999-01-01T00:00:00Z')
  const { text } = await browserOf(forge.server).get(`/${own.full_path}/releases`)
  const marks = [...text.matchAll(/<h2><a[^>]*><bdi>(\w+)<\/bdi><\/a>(.*?)<\/h2>/gs)].map(([, name, rest]) => [
    name,
    /Latest/.test(rest ?? ''),
  ])
  expect(marks).toEqual([
    ['coming', false],
    ['new', true],
    ['old', false],
  ])
})

test('what is refused stands by its field with the text kept', async () => {
  await create({ tag_name: 'v2', description: 'x' })
  for (const [fields, field, sentence] of [
    [{ tag_name: 'v2' }, 'tag_name', 'Release already exists'],
    [{ tag_name: 'a b' }, 'tag_name', 'Tag name invalid'],
    [{ tag_name: 'v9', ref: '' }, 'ref', 'Ref is not specified'],
    [{ tag_name: 'v9', ref: 'nothing' }, 'ref', 'Target nothing is invalid'],
    [{ tag_name: 'v9', name: 'x'.repeat(256) }, 'name', 'Name is too long (maximum is 255 characters)'],
  ] as const) {
    const { status, text } = await create({ ...fields, description: 'Kept text' })
    expect([sentence, status >= 400, readDocument(text).faults]).toEqual([sentence, true, []])
    expect(text).toContain(`<p class="error" id="${field}-error">${sentence}</p>`)
    expect(text).toContain('Kept text')
  }
  expect(await git(project.dir, 'tag', '--list', 'v9')).toBe('')
})

test('a change keeps the time of day of an unchanged date, and is refused where somebody else saved first', async () => {
  await create({ tag_name: 'v3' })
  const before = (await forge.as(forge.root).get(`/projects/${project.id}/releases/v3`)).body
  const { text } = await me.get(at('releases/v3/edit'))
  const field = (name: string) => new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(text)?.[1] as string
  const sent = {
    form_token: field('form_token'),
    seen: field('seen'),
    name: 'Three',
    description: 'Mine',
    released_at: field('released_at'),
  }
  expect(await noticeAt(me, (await me.post(at('releases/v3'), sent)).location)).toBe(releaseSentences.saved)
  const after = (await forge.as(forge.root).get(`/projects/${project.id}/releases/v3`)).body
  expect([after.name, after.released_at]).toEqual(['Three', before.released_at])
  const late = await me.post(at('releases/v3'), { ...sent, description: 'Mine again' })
  expect([late.status, late.text.includes('Mine again'), late.text.includes(releaseSentences.changed)]).toEqual([409, true, true])
  const future = await me.submit(at('releases/v3/edit'), at('releases/v3'), { name: 'Three', description: '', released_at: '2999-01-01' })
  expect((await me.get(future.location as string)).text).toContain('>upcoming<')
})

test('a deleted release leaves its tag, and a release whose tag was deleted says so', async () => {
  await create({ tag_name: 'v4' })
  const answer = await me.submit(at('releases/v4/edit'), at('releases/v4/delete'))
  expect(await noticeAt(me, answer.location)).toBe(releaseSentences.deleted('v4'))
  expect([(await me.get(at('releases/v4'))).status, await git(project.dir, 'tag', '--list', 'v4')]).toEqual([404, 'v4'])
  await create({ tag_name: 'v5' })
  await git(project.dir, 'tag', '-d', 'v5')
  expect((await me.get(at('releases/v5'))).text).toContain(releaseSentences.tagGone)
})

test('guests of a private project see what was released and not of which code; nobody else sees anything', async () => {
  const guest = await forge.user({ password })
  const hidden = await forge.project({ guest, visibility: 'private' })
  const links = [{ name: 'File', url: 'https://example.com/f' }]
  await forge
    .as(forge.root)
    .post(`/projects/${hidden.id}/releases`, { tag_name: 'secret-tag', name: 'Named', ref: 'main', assets: { links } })
  const { text, status } = await (await signedIn(forge, guest)).get(`/${hidden.full_path}/releases`)
  expect([status, text.includes('Named'), text.includes('File'), text.includes('secret-tag')]).toEqual([200, true, true, false])
  expect((await me.get(`/${hidden.full_path}/releases`)).status).toBe(404)
  expect((await (await signedIn(forge, guest)).get(`/${hidden.full_path}/releases/secret-tag`)).status).toBe(403)
})

test('notes too long to be formatted are shown as they were written', async () => {
  await create({ tag_name: 'v6', description: `# Long\n${'word '.repeat(15_000)}` })
  const { text } = await me.get(at('releases/v6'))
  expect([text.includes(releaseSentences.tooLong), text.includes('<pre class="message"># Long')]).toEqual([true, true])
})

test('a release links to the pages of its milestones, for those who can see them', async () => {
  const title = 'Sprint <1>'
  await forge.as(forge.root).post(`/projects/${project.id}/milestones`, { title })
  const release = { tag_name: 'v7', ref: 'main', milestones: [title] }
  expect((await forge.as(forge.root).post(`/projects/${project.id}/releases`, release)).status).toBe(201)
  const link = `<a href="${at('milestones/1')}"><bdi>Sprint &lt;1&gt;</bdi></a>`
  for (const page of ['releases', 'releases/v7']) {
    const { text } = await me.get(at(page))
    expect([page, text.includes(link), readDocument(text).faults]).toEqual([page, true, []])
  }
  expect((await me.get(at('milestones/1'))).status).toBe(200)
  // A form that changes the rest leaves them.
  await me.submit(at('releases/v7/edit'), at('releases/v7'), { name: 'Seven', description: '' })
  expect((await me.get(at('releases/v7'))).text).toContain(link)
})

test('a release gets the milestones that its form names, one in each line; those there are none of are told of by the field', async () => {
  const titles = ['First, of two', 'Second']
  for (const title of titles) await forge.as(forge.root).post(`/projects/${project.id}/milestones`, { title })
  const named = async (tag: string) => {
    const { body } = await forge.as(forge.root).get(`/projects/${project.id}/releases/${tag}`)
    return body.milestones.map(({ title }: { title: string }) => title)
  }
  await create({ tag_name: 'v8', milestones: titles.join('\r\n') })
  expect(await named('v8')).toEqual(titles)
  const save = (milestones: string) => me.submit(at('releases/v8/edit'), at('releases/v8'), { name: '', description: '', milestones })
  const unknown = await save('Second\nThird')
  expect([unknown.status, readDocument(unknown.text).faults]).toEqual([422, []])
  expect(unknown.text).toMatch(/id="[a-z-]*milestones-error">Milestone\(s\) not found: Third</)
  expect(await named('v8')).toEqual(titles)
  await save('Second\n')
  expect(await named('v8')).toEqual(['Second'])
  await save('')
  expect(await named('v8')).toEqual([])
})
