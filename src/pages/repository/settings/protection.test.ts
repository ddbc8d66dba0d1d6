/** Protected branches and tags in a browser: who sees and changes them, and what happens when two do so at once. */
import { beforeAll, expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { fixturePassword as password, signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { noticeAt } from '../../../../test/support/notices.ts'
import { protectionSentences } from './sentences.ts'

let forge: Forge
let maintainer: TestUser
let developer: TestUser
let me: Browser

beforeAll(async () => {
  forge = await testForge()
  maintainer = await forge.user({ password })
  developer = await forge.user({ password })
  me = await signedIn(forge, maintainer)
})

async function seeded(): Promise<TestProject> {
  const project = await forge.project({ maintainer, developer, visibility: 'private' })
  for (const name of ['release/1', 'release/2', 'other']) await git(project.dir, 'branch', name, 'main')
  return project
}

const levels = { push_level: '40', merge_level: '30', allow_force_push: 'false' }
const rulesOf = async ({ id }: TestProject) => (await forge.as(maintainer).get(`/projects/${id}/protected_branches`)).body

test('a maintainer protects a wildcard, sees what it matches, changes its levels and lets go of it', async () => {
  const project = await seeded()
  const settings = `/${project.full_path}/settings/repository`
  const made = await me.submit(settings, `/${project.full_path}/protected_branches`, { name: 'release/*', ...levels })
  expect([made.location, await noticeAt(me, made.location)]).toEqual([
    `${settings}#protected-branches`,
    protectionSentences.protected('release/*'),
  ])
  const rule = (await rulesOf(project)).find(({ name }: { name: string }) => name === 'release/*')
  expect(rule).toMatchObject({ push_access_levels: [{ access_level: 40 }], merge_access_levels: [{ access_level: 30 }] })
  const { text } = await me.get(settings)
  expect(text).toContain(`<a href="/${project.full_path}/protected_branches/${rule.id}">Matches 2 branches</a>`)
  const matches = await me.get(`/${project.full_path}/protected_branches/${rule.id}`)
  expect([matches.status, /<bdi>release\/1<\/bdi>/.test(matches.text), /<bdi>other<\/bdi>/.test(matches.text)]).toEqual([200, true, false])
  const changed = await me.submit(settings, `/${project.full_path}/protected_branches/${rule.id}`, {
    ...levels,
    push_level: '0',
    allow_force_push: 'true',
  })
  expect(await noticeAt(me, changed.location)).toBe(protectionSentences.changed('release/*'))
  expect((await rulesOf(project)).at(-1)).toMatchObject({ push_access_levels: [{ access_level: 0 }], allow_force_push: true })
  const remove = () => me.submit(settings, `/${project.full_path}/protected_branches/${rule.id}/delete`)
  const gone = await remove()
  expect(await noticeAt(me, gone.location)).toBe(protectionSentences.unprotected('release/*'))
  const token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] as string
  const again = await me.post(`/${project.full_path}/protected_branches/${rule.id}/delete`, { form_token: token })
  expect(await noticeAt(me, again.location)).toBe(protectionSentences.gone)
  expect((await me.post(`/${project.full_path}/protected_branches/${rule.id}`, { form_token: token, ...levels })).status).toBe(404)
})

test('protecting a name twice, or no name, is refused at its field with the text kept', async () => {
  const project = await seeded()
  const protect = (name: string) =>
    me.submit(`/${project.full_path}/protected_branches`, `/${project.full_path}/protected_branches`, { ...levels, name })
  const both = await Promise.all([protect('twice'), protect('twice')])
  expect(both.map(({ status }) => status).sort()).toEqual([303, 422])
  for (const [name, sentence] of [
    ['twice', protectionSentences.taken('twice')],
    ['', "Name can't be blank"],
    ['x'.repeat(1_025), 'Name is too long (maximum is 1024 characters)'],
  ] as const) {
    const { status, text } = await protect(name)
    expect([sentence, status, readDocument(text).faults]).toEqual([sentence, 422, []])
    expect(text).toContain(`<p class="error" id="branch-name-error">${sentence.replace("'", '&#39;')}</p>`)
    expect(text).toContain(` value="${name}"`)
  }
  const token = /name="form_token" value="([^"]+)"/.exec((await me.get('/')).text)?.[1] as string
  const odd = await me.post(`/${project.full_path}/protected_branches`, { form_token: token, ...levels, name: 'odd', push_level: '50' })
  expect([odd.status, (await rulesOf(project)).some(({ name }: { name: string }) => name === 'odd')]).toEqual([422, false])
})

test('tags are protected likewise', async () => {
  const project = await seeded()
  await git(project.dir, 'tag', 'v1', 'main')
  const page = `/${project.full_path}/protected_tags`
  expect(await noticeAt(me, (await me.submit(page, page, { name: 'v*', create_level: '0' })).location)).toBe(
    protectionSentences.protected('v*'),
  )
  expect((await me.submit(page, page, { name: 'v*', create_level: '0' })).text).toContain(protectionSentences.taken('v*'))
  const id = /protected_tags\/(\d+)"/.exec((await me.get(page)).text)?.[1]
  expect((await me.get(`${page}/${id}`)).text).toContain('<bdi>v1</bdi>')
  await me.submit(page, `${page}/${id}`, { create_level: '30' })
  const { body } = await forge.as(maintainer).get(`/projects/${project.id}/protected_tags/v*`)
  expect(body.create_access_levels[0].access_level).toBe(30)
  expect(await noticeAt(me, (await me.submit(page, `${page}/${id}/delete`)).location)).toBe(protectionSentences.unprotected('v*'))
})

test('developers see no settings; a rule of another project is not there', async () => {
  const project = await seeded()
  const other = await seeded()
  const [rule] = await rulesOf(other)
  const them = await signedIn(forge, developer)
  for (const page of ['settings/repository', 'protected_branches', 'protected_tags', 'deploy_keys', 'deploy_tokens'])
    expect([page, (await them.get(`/${project.full_path}/${page}`)).status]).toEqual([page, 403])
  const token = /name="form_token" value="([^"]+)"/.exec((await them.get('/')).text)?.[1] as string
  expect((await them.post(`/${project.full_path}/protected_branches`, { form_token: token, ...levels, name: 'x' })).status).toBe(403)
  expect((await me.get(`/${project.full_path}/protected_branches/${rule.id}`)).status).toBe(404)
  const mine = /name="form_token" value="([^"]+)"/.exec((await me.get('/')).text)?.[1] as string
  await me.post(`/${project.full_path}/protected_branches/${rule.id}/delete`, { form_token: mine })
  expect(await rulesOf(other)).toContainEqual(rule)
})

test('hostile names of rules are shown as text', async () => {
  const project = await seeded()
  for (const name of ['"><script>*', "it's*", 'x'.repeat(200), 'ünï*'])
    await forge.as(maintainer).post(`/projects/${project.id}/protected_branches`, { name })
  const { text } = await me.get(`/${project.full_path}/settings/repository`)
  expect([readDocument(text).faults, text.includes('<script>*')]).toEqual([[], false])
})
