/** Badges of projects and groups: who sees and changes them, what stands in them, and which addresses they take. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

let forge: Forge
let owner: TestUser
let maintainer: TestUser
let guest: TestUser
let project: TestProject
let places: Record<'project' | 'group' | 'above', string>

beforeAll(async () => {
  forge = await testForge()
  ;[owner, maintainer, guest] = await Promise.all([forge.user(), forge.user(), forge.user()])
  const above = await forge.group({ owner })
  const group = await forge.group({ parent: above, maintainer })
  project = await forge.project({ group, maintainer, guest })
  places = { project: `/projects/${project.id}/badges`, group: `/groups/${group.id}/badges`, above: `/groups/${above.id}/badges` }
})

afterEach(async () => {
  await forge.app.db.deleteFrom('badges').execute()
})

const urls = { link_url: 'https://example.com/%{project_path}?ref=%{default_branch}', image_url: 'http://example.com/%{commit_sha}.svg' }
const rows = () => forge.app.db.selectFrom('badges').selectAll().orderBy('id').execute()
const missing = { message: '404 Not found' }

async function expectRefused(request: () => Promise<{ status: number; body: unknown }>, status: number, body: unknown): Promise<void> {
  const before = await rows()
  const answer = await request()
  expect([answer.status, answer.body]).toEqual([status, body])
  expect(await rows()).toEqual(before)
}

test('a badge of a project is added, shown with what is in it, changed and removed', async () => {
  const client = forge.as(maintainer)
  const made = await client.post(places.project, urls)
  const sha = await git(project.dir, 'rev-parse', 'main')
  const expected = {
    ...urls,
    rendered_link_url: `https://example.com/${project.full_path}?ref=main`,
    rendered_image_url: `http://example.com/${sha}.svg`,
    id: expect.any(Number),
    kind: 'project',
  }
  expect([made.status, made.body]).toEqual([201, expected])
  const own = `${places.project}/${made.body.id}`
  expect((await client.get(own)).body).toEqual(made.body)
  expect((await client.get(places.project)).body).toEqual([made.body])
  const changed = await client.put(own, { image_url: ' https://example.com/%{project_id}.png ' })
  expect([changed.status, changed.body]).toEqual([
    200,
    { ...made.body, image_url: 'https://example.com/%{project_id}.png', rendered_image_url: `https://example.com/${project.id}.png` },
  ])
  expect((await client.put(own, {})).body).toEqual(changed.body)
  const removed = await client.delete(own)
  expect([removed.status, removed.text]).toEqual([204, ''])
  await expectRefused(() => client.get(own), 404, missing)
  await expectRefused(() => client.put(own, urls), 404, missing)
  await expectRefused(() => client.delete(own), 404, missing)
})

test('a badge of a group is listed in its projects, and cannot be changed there', async () => {
  const { body: above } = await forge.as(owner).post(places.above, urls)
  expect(above).toEqual({ ...urls, rendered_link_url: urls.link_url, rendered_image_url: urls.image_url, id: above.id, kind: 'group' })
  const { body: beside } = await forge.as(owner).post(places.group, urls)
  expect(beside).toMatchObject({ ...urls, rendered_link_url: `https://example.com/${project.full_path}?ref=main`, kind: 'group' })
  await forge.as(owner).delete(`${places.group}/${beside.id}`)
  const { body: own } = await forge.as(maintainer).post(places.project, urls)
  const list = await forge.as(maintainer).get(places.project)
  expect(list.body).toEqual([{ ...own, id: above.id, kind: 'group' }, own])
  expect((await forge.as(owner).get(places.group)).body).toEqual([])
  expect((await forge.as(owner).get(places.above)).body).toEqual([above])
  const seen = `${places.project}/${above.id}`
  expect((await forge.as(maintainer).get(seen)).body.rendered_link_url).toBe(own.rendered_link_url)
  for (const user of [maintainer, owner, forge.root]) {
    await expectRefused(() => forge.as(user).delete(seen), 403, { error: 'To delete a Group badge please use the Group endpoint' })
    await expectRefused(() => forge.as(user).put(seen, urls), 403, { error: 'To change a Group badge please use the Group endpoint' })
  }
  await expectRefused(() => forge.as(owner).delete(`${places.group}/${above.id}`), 404, missing)
  await expectRefused(() => forge.as(owner).get(`${places.above}/${own.id}`), 404, missing)
})

test('of a group show the oldest project in it that the caller can see', async () => {
  const [member, external] = [await forge.user(), await forge.user({ external: true })]
  const group = await forge.group({ owner, visibility: 'public', guest: external })
  const at = `/groups/${group.id}/badges`
  const { body } = await forge.as(owner).post(at, urls)
  const linked = async (client: ReturnType<Forge['as']>) => (await client.get(`${at}/${body.id}`)).body.rendered_link_url
  expect(await linked(forge.as(owner))).toBe(urls.link_url)
  const hidden = await forge.project({ group })
  const open = await forge.project({ group, visibility: 'public' })
  await forge.project({ group, visibility: 'public' })
  await forge.project({ group: await forge.group({ parent: group, visibility: 'public' }), visibility: 'public' })
  expect(await linked(forge.as(owner))).toBe(`https://example.com/${hidden.full_path}?ref=main`)
  for (const client of [forge.as(member), forge.anonymous]) {
    expect(await linked(client)).toBe(`https://example.com/${open.full_path}?ref=main`)
  }
  // A guest sees the closed one, and not its code.
  const list = await forge.as(external).get(at)
  expect(list.body[0].rendered_link_url).toBe(`https://example.com/${hidden.full_path}?ref=%{default_branch}`)
})

test('one that changed since it was seen is not removed', async () => {
  const since = (time: number) => ({ headers: { 'if-unmodified-since': new Date(time).toUTCString() } })
  for (const [user, place] of [
    [maintainer, places.project],
    [owner, places.group],
  ] as const) {
    const own = `${place}/${(await forge.as(user).post(place, urls)).body.id}`
    const made = '2020-01-01T00:00:00.000Z'
    await forge.app.db.updateTable('badges').set({ created_at: made }).execute()
    await forge.as(user).put(own, { link_url: 'https://example.com' })
    const early = await forge.as(user).delete(own, undefined, since(Date.parse(made)))
    expect([early.status, early.body]).toEqual([412, { message: '412 Precondition Failed' }])
    expect((await forge.as(user).delete(own, undefined, since(Date.now() + 1_000))).status).toBe(204)
  }
})

test('callers who may not read the code see no branch and no commit', async () => {
  const { body } = await forge.as(maintainer).post(places.project, urls)
  const { rendered_link_url, rendered_image_url } = (await forge.as(guest).get(`${places.project}/${body.id}`)).body
  expect([rendered_link_url, rendered_image_url]).toEqual([
    `https://example.com/${project.full_path}?ref=%{default_branch}`,
    'http://example.com/%{commit_sha}.svg',
  ])
})

test('placeholders without a value stay, and a branch name can’t escape its place in the URL', async () => {
  const empty = await forge.project({ owner, files: null })
  const { body } = await forge.as(owner).post(`/projects/${empty.id}/badges`, { ...urls, image_url: 'https://example.com/%{other}' })
  expect(body.rendered_link_url).toBe(`https://example.com/${empty.full_path}?ref=%{default_branch}`)
  expect(body.rendered_image_url).toBe('https://example.com/%{other}')
  const odd = await forge.project({ owner })
  await git(odd.dir, 'branch', 'a/b&c="#<x>', 'main')
  await forge.app.db.updateTable('projects').set({ default_branch: 'a/b&c="#<x>' }).where('id', '=', odd.id).execute()
  const { body: filled } = await forge.as(owner).post(`/projects/${odd.id}/badges`, urls)
  expect(filled.rendered_link_url).toBe(`https://example.com/${odd.full_path}?ref=a/b%26c%3D%22%23%3Cx%3E`)
})

test('a preview renders the badge and saves nothing', async () => {
  const query = `?link_url=${encodeURIComponent(urls.link_url)}&image_url=${encodeURIComponent('https://example.com/%{project_id}')}`
  const preview = (user: TestUser, place: string) => forge.as(user).get(`${place}/render${query}`)
  const of = await preview(maintainer, places.project)
  expect([of.status, of.body]).toEqual([
    200,
    {
      link_url: urls.link_url,
      image_url: 'https://example.com/%{project_id}',
      rendered_link_url: `https://example.com/${project.full_path}?ref=main`,
      rendered_image_url: `https://example.com/${project.id}`,
    },
  ])
  expect((await preview(owner, places.group)).body.rendered_link_url).toBe(of.body.rendered_link_url)
  expect((await preview(owner, places.above)).body.rendered_link_url).toBe(urls.link_url)
  expect(await rows()).toEqual([])
  expect((await preview(guest, places.project)).status).toBe(403)
  expect((await forge.anonymous.get(`${places.project}/render${query}`)).status).toBe(401)
  await expectRefused(() => forge.as(maintainer).get(`${places.project}/render`), 400, {
    error: 'link_url is missing, image_url is missing',
  })
  await expectRefused(() => forge.as(maintainer).get(`${places.project}/render?link_url=x&image_url=`), 400, {
    message: { link_url: ['is blocked: URI is invalid'], image_url: ['must be a valid URL'] },
  })
})

test('of a project maintainers change them, of a group its owners; all who see it see them', async () => {
  const forbidden = { message: '403 Forbidden' }
  const { body: ofProject } = await forge.as(maintainer).post(places.project, urls)
  const { body: ofGroup } = await forge.as(owner).post(places.group, urls)
  for (const [user, place, { id }] of [
    [guest, places.project, ofProject],
    [maintainer, places.group, ofGroup],
  ] as const) {
    expect((await forge.as(user).get(place)).status).toBe(200)
    await expectRefused(() => forge.as(user).post(place, urls), 403, forbidden)
    await expectRefused(() => forge.as(user).put(`${place}/${id}`, urls), 403, forbidden)
    await expectRefused(() => forge.as(user).delete(`${place}/${id}`), 403, forbidden)
  }
  const open = await forge.project({ owner, visibility: 'public', files: null })
  await forge.as(owner).post(`/projects/${open.id}/badges`, urls)
  expect((await forge.anonymous.get(`/projects/${open.id}/badges`)).body).toHaveLength(1)
  const stranger = await forge.user()
  await expectRefused(() => forge.as(stranger).get(places.project), 404, { message: '404 Project Not Found' })
})

describe('an address', () => {
  const invalid = 'is blocked: URI is invalid'
  const otherProtocol = 'is blocked: Only allowed protocols are http, https'
  test.each([
    ['', 'must be a valid URL'],
    ['  ', 'must be a valid URL'],
    ['example.com', invalid],
    ['//example.com', invalid],
    ['/path', invalid],
    ['https://', invalid],
    ['https://%{project_path}.example.com/', invalid],
    ['javascript:alert(1)', otherProtocol],
    ['JaVaScRiPt://example.com/%0aalert(1)', otherProtocol],
    ['java\nscript:alert(1)', invalid],
    ['data:text/html,x', otherProtocol],
    ['ftp://example.com/', otherProtocol],
    ['https:example.com', otherProtocol],
    ['https://example.com/a b', invalid],
    ['https://example.com/"onload="x', invalid],
    ['https://example.com/<script>', invalid],
    [`https://example.com/${'x'.repeat(2_048)}`, 'is too long (maximum is 2048 characters)'],
  ])('%j is refused', async (url, fieldError) => {
    const client = forge.as(maintainer)
    const { body: known } = await client.post(places.project, urls)
    for (const name of ['link_url', 'image_url']) {
      const refusal = { message: { [name]: [fieldError] } }
      await expectRefused(() => client.post(places.project, { ...urls, [name]: url }), 400, refusal)
      await expectRefused(() => client.put(`${places.project}/${known.id}`, { [name]: url }), 400, refusal)
    }
  })

  test('is text, and must be there', async () => {
    const client = forge.as(maintainer)
    await expectRefused(() => client.post(places.project, {}), 400, { error: 'link_url is missing, image_url is missing' })
    await expectRefused(() => client.post(places.project, { ...urls, link_url: ['x'] }), 400, { error: 'link_url is invalid' })
    await expectRefused(() => client.post(places.project, { ...urls, image_url: 'https://a/\0' }), 400, { error: 'image_url is invalid' })
  })
})
