/** CI settings of projects, groups and the instance on pages: variables, runners and trigger tokens, for those who manage them. */
import { beforeAll, expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { fixturePassword as password, signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let owner: TestUser
let maintainer: TestUser
let developer: TestUser
let project: TestProject
let group: string
let groupId: number
let browsers: Record<'owner' | 'maintainer' | 'developer' | 'root', Browser>

const places = () =>
  [
    { kind: 'project', base: `/${project.full_path}/settings/ci_cd`, api: `/projects/${project.id}/variables`, by: browsers.maintainer },
    { kind: 'group', base: `/groups/${group}/-/settings/ci_cd`, api: `/groups/${groupId}/variables`, by: browsers.owner },
    { kind: 'instance', base: '/admin', api: '/admin/ci/variables', by: browsers.root },
  ] as const
const idIn = (text: string, what: string) => new RegExp(`/${what}/(\\d+)/edit`).exec(text)?.[1] ?? ''
const tokenOf = async (browser: Browser) => /name="form_token" value="([^"]+)"/.exec((await browser.get('/')).text)?.[1] as string

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ password })
  maintainer = await forge.user({ password })
  developer = await forge.user({ password })
  const place = await forge.group({ owner, maintainer, developer })
  group = place.full_path
  groupId = place.id
  project = await forge.project({ group: place, files: null })
  const [root] = [await forge.user({ password, admin: true })]
  const [one, two, three, four] = await Promise.all([owner, maintainer, developer, root].map((user) => signedIn(forge, user)))
  browsers = { owner: one as Browser, maintainer: two as Browser, developer: three as Browser, root: four as Browser }
})

test('variables of a project, a group and the instance are added, edited and deleted; values stand on the page of one alone', async () => {
  for (const { kind, base, api, by } of places()) {
    const list = kind === 'instance' ? '/admin/variables' : base
    const read = async () => (await forge.as(forge.root).get(api)).body
    const sent = {
      key: 'KEY',
      value: 'line one\r\nline two',
      kind: 'file',
      visibility: 'visible',
      protected: 'true',
      raw: 'true',
      description: 'For <b>',
    }
    const wrong = await by.submit(`${base}/variables/new`, `${base}/variables`, { ...sent, visibility: 'masked', value: 'short-secret\nx' })
    expect([kind, wrong.status, wrong.text.includes('short-secret'), readDocument(wrong.text).faults]).toEqual([kind, 422, false, []])
    const scope = kind === 'instance' ? {} : { environment_scope: 'review/*' }
    expect((await by.submit(`${base}/variables/new`, `${base}/variables`, { ...sent, ...scope })).status).toBe(303)
    const listed = (await by.get(list)).text
    expect([kind, listed.includes('line one'), listed.includes('For &lt;b&gt;')]).toEqual([kind, false, true])
    expect(await read()).toMatchObject([
      { key: 'KEY', value: 'line one\nline two', variable_type: 'file', protected: true, masked: false, raw: true, ...scope },
    ])
    const at = `${base}/variables/${idIn(listed, 'variables')}`
    const shown = await by.get(`${at}/edit`)
    expect([shown.text.includes('line one'), readDocument(shown.text).faults]).toEqual([true, []])
    const changed = { value: 'correct-horse', kind: 'env_var', visibility: 'masked', protected: 'false', raw: 'false', description: '' }
    expect((await by.submit(`${at}/edit`, at, { ...changed, ...scope })).status).toBe(303)
    expect(await read()).toMatchObject([
      { value: 'correct-horse', variable_type: 'env_var', protected: false, masked: true, description: null },
    ])
    expect((await by.submit(list, `${at}/delete`)).status).toBe(303)
    expect(await read()).toEqual([])
  }
})

test('a hidden value is shown to nobody, and stays where nothing is typed', async () => {
  const [{ base, api, by }] = places()
  const sent = { key: 'HIDDEN', value: 'correct-horse', kind: 'env_var', visibility: 'hidden' }
  await by.submit(`${base}/variables/new`, `${base}/variables`, sent)
  const at = `${base}/variables/${idIn((await by.get(base)).text, 'variables')}`
  expect((await by.get(`${at}/edit`)).text).not.toContain('correct-horse')
  const row = async () => forge.app.db.selectFrom('ci_variables').selectAll().where('key', '=', 'HIDDEN').executeTakeFirstOrThrow()
  const { value } = await row()
  expect((await by.submit(`${at}/edit`, at, { ...sent, value: '', protected: 'true' })).status).toBe(303)
  expect(await row()).toMatchObject({ value, hidden: true, masked: true, protected: true })
  // Neither shown by another way.
  expect((await by.submit(`${at}/edit`, at, { ...sent, visibility: 'visible' })).status).toBe(422)
  expect((await forge.as(maintainer).get(`${api}/HIDDEN`)).body.value).toBe(null)
})

test('a runner is created with a token that is shown once, edited, paused and removed', async () => {
  for (const { kind, base, by } of places()) {
    const list = kind === 'instance' ? '/admin/runners' : base
    const fields = { description: 'Harbour <b>', tag_list: 'linux, arm', run_untagged: 'false', maximum_timeout: '' }
    const idle = await by.submit(`${base}/runners/new`, `${base}/runners`, { ...fields, tag_list: '' })
    expect([kind, idle.status, readDocument(idle.text).faults]).toEqual([kind, 422, []])
    const made = await by.submit(`${base}/runners/new`, `${base}/runners`, fields)
    const token = /<code aria-label="Token of the runner">([^<]+)/.exec(made.text)?.[1] ?? ''
    expect([kind, made.status, readDocument(made.text).faults]).toEqual([kind, 201, []])
    expect(made.text).toContain(`gitlab-runner register --url http`)
    expect((await forge.anonymous.post('/runners/verify', { token })).status).toBe(200)
    const listed = (await by.get(list)).text
    const id = idIn(listed, 'runners')
    const at = `${base}/runners/${id}`
    expect([listed.includes(token), readDocument(listed).faults]).toEqual([false, []])
    const read = async () => (await forge.as(forge.root).get(`/runners/${id}`)).body
    const changed = {
      ...fields,
      run_untagged: 'true',
      is_protected: 'true',
      locked: 'true',
      maximum_timeout: '20',
      maintenance_note: 'Ask Ada',
    }
    expect((await by.submit(`${at}/edit`, at, { ...changed, maximum_timeout: '5' })).status).toBe(422)
    expect((await by.submit(`${at}/edit`, at, changed)).status).toBe(303)
    expect((await by.submit(list, `${at}/paused`)).status).toBe(303)
    const shown = {
      description: 'Harbour <b>',
      tag_list: ['arm', 'linux'],
      access_level: 'ref_protected',
      maximum_timeout: 1_200,
      paused: true,
    }
    expect(await read()).toMatchObject({ ...shown, run_untagged: true, maintenance_note: 'Ask Ada' })
    const before = /aria-label="Registration token">([^<]+)/.exec(listed)?.[1]
    expect((await by.submit(list, `${base}/runners/reset_registration_token`)).status).toBe(303)
    expect(/aria-label="Registration token">([^<]+)/.exec((await by.get(list)).text)?.[1]).not.toBe(before)
    expect((await by.submit(`${at}/edit`, `${at}/delete`)).status).toBe(303)
    expect((await read()).message).toBe('404 Not found')
  }
})

test('a runner of several projects is enabled and disabled, and its other projects keep it', async () => {
  const second = await forge.project({ maintainer, files: null })
  const [{ base, by }] = places()
  const made = await forge.as(maintainer).post('/user/runners', { runner_type: 'project_type', project_id: second.id })
  const at = `${base}/runners/${made.body.id}`
  expect((await by.get(`${at}/edit`)).status).toBe(404)
  expect((await by.submit(base, `${at}/enable`)).status).toBe(303)
  const form_token = await tokenOf(by)
  expect((await by.post(`${at}/delete`, { form_token })).status).toBe(403)
  expect((await by.submit(`${at}/edit`, `${at}/disable`)).status).toBe(303)
  expect((await by.get(`/${second.full_path}/settings/ci_cd/runners/${made.body.id}/edit`)).status).toBe(200)
})

test('trigger tokens are created, described anew, taken over and revoked; the token of another is not shown', async () => {
  const [{ base, by }] = places()
  const list = async () => (await forge.as(maintainer).get(`/projects/${project.id}/triggers`)).body
  expect((await browsers.owner.submit(`${base}/triggers/new`, `${base}/triggers`, { description: 'Nightly' })).status).toBe(303)
  const [{ id }] = await list()
  const whole = /gsttr-[0-9a-f]{40}/
  expect([whole.test((await browsers.owner.get(base)).text), whole.test((await by.get(base)).text)]).toEqual([true, false])
  const at = `${base}/triggers/${id}`
  expect((await by.submit(`${at}/edit`, at, { description: ' ' })).status).toBe(422)
  await by.submit(`${at}/edit`, at, { description: 'Weekly' })
  await by.submit(base, `${at}/take_ownership`)
  expect(await list()).toMatchObject([{ description: 'Weekly', owner: { id: maintainer.id } }])
  expect((await by.submit(base, `${at}/delete`)).status).toBe(303)
  expect(await list()).toEqual([])
})

test('environments of a project are protected by name, those below a group by tier, each once, and are open again', async () => {
  for (const { kind, base, by } of places()) {
    if (kind === 'instance') continue
    const at = `${base}/protected_environments`
    const api = `/${kind}s/${kind === 'project' ? project.id : groupId}/protected_environments`
    const protectedOnes = async () => (await forge.as(owner).get(api)).body
    const sent = { name: 'production', access_level: '30', required_approval_count: '2' }
    expect((await by.submit(base, at, { ...sent, name: '' })).status).toBe(422)
    expect((await by.submit(base, at, sent)).status).toBe(303)
    expect(await protectedOnes()).toMatchObject([
      { name: 'production', deploy_access_levels: [{ access_level: 30 }], required_approval_count: 2 },
    ])
    const page = await by.get(base)
    expect(page.text).toContain('Developers deploy; 2 approvals')
    expect(page.text.includes('in all projects below the group')).toBe(kind === 'group')
    expect((await by.submit(base, at, sent)).status).toBe(409)
    const [id] = /protected_environments\/\d+(?=\/delete)/.exec(page.text) ?? []
    const theirs = { form_token: await tokenOf(browsers.developer) }
    expect((await browsers.developer.post(`${base}/${id}/delete`, theirs)).status).toBe(403)
    expect((await by.submit(base, `${base}/${id}/delete`)).status).toBe(303)
    expect(await protectedOnes()).toEqual([])
  }
})

test('whoever does not manage them reads no variable and changes nothing', async () => {
  const rows = []
  for (const { kind, base, api, by } of places()) {
    await forge.as(forge.root).post(api, { key: 'SECRET', value: 'secret-value' })
    const list = (await by.get(kind === 'instance' ? '/admin/variables' : base)).text
    rows.push({ kind, base, variable: idIn(list, 'variables') })
  }
  const runner = (await forge.as(maintainer).post('/user/runners', { runner_type: 'project_type', project_id: project.id })).body.id
  const form_token = await tokenOf(browsers.developer)
  for (const { kind, base, variable } of rows) {
    const refusal = kind === 'instance' ? 404 : 403
    for (const path of ['/variables/new', `/variables/${variable}/edit`, '/runners/new', `/runners/${runner}/edit`]) {
      const { status, text } = await browsers.developer.get(base + path)
      expect([base + path, status, text.includes('secret-value')]).toEqual([base + path, refusal, false])
    }
    for (const path of [
      '/variables',
      `/variables/${variable}`,
      `/variables/${variable}/delete`,
      '/runners',
      `/runners/${runner}`,
      `/runners/${runner}/delete`,
      '/runners/reset_registration_token',
    ]) {
      const fields = { form_token, key: 'KEY', value: '', kind: 'env_var', visibility: 'visible' }
      expect([base + path, (await browsers.developer.post(base + path, fields)).status]).toEqual([base + path, refusal])
    }
  }
  // Variables of one place aren't found under another.
  const [of_project, of_group, of_instance] = rows
  for (const strange of [of_group, of_instance]) {
    expect((await browsers.maintainer.get(`${of_project?.base}/variables/${strange?.variable}/edit`)).status).toBe(404)
  }
  // Maintainers of a group have its variables; its runners are for owners.
  const page = await browsers.maintainer.get(of_group?.base ?? '')
  expect([page.status, page.text.includes('Registration token'), page.text.includes('SECRET')]).toEqual([200, false, true])
  expect((await browsers.maintainer.get(`${of_group?.base}/runners/new`)).status).toBe(403)
})

test('many variables and runners cost as many statements as few', async () => {
  const [{ base, by }] = places()
  const add = async (key: string) => {
    await forge.as(maintainer).post(`/projects/${project.id}/variables`, { key, value: key })
    await forge.as(maintainer).post('/user/runners', { runner_type: 'project_type', project_id: project.id })
    await forge.as(maintainer).post(`/projects/${project.id}/triggers`, { description: key })
  }
  await add('A')
  const few = await forge.cost(() => by.get(base))
  for (const key of ['B', 'C', 'D']) await add(key)
  expect(await forge.cost(() => by.get(base))).toEqual(few)
})
