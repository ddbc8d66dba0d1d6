/** Administration: who may, what every page shows and does, and what it refuses. */
import { afterEach, beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { publicKey } from '../../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { adminPages } from './admin.pages.ts'

const password = 'correct horse battery'
const hostile = `<b>"'&</b>`

let forge: Forge
let admin: TestUser
let me: Browser

beforeAll(async () => {
  forge = await testForge()
  admin = await forge.user({ password, admin: true })
  me = await signIn(admin)
})

afterEach(async () => {
  await forge.app.db.deleteFrom('settings').execute()
  await forge.app.db.deleteFrom('broadcast_messages').execute()
})

async function signIn(user: TestUser): Promise<Browser> {
  const browser = browserOf(forge.server)
  expect((await browser.submit('/users/sign_in', '/users/sign_in', { login: user.username, password: user.password ?? '' })).status).toBe(
    303,
  )
  return browser
}

async function tokenOn(browser: Browser, page: string): Promise<string> {
  return /name="form_token" value="([^"]+)"/.exec((await browser.get(page)).text)?.[1] ?? ''
}

const hrefs = (text: string) => [...text.matchAll(/href="(\/admin[^"#]*)"/g)].map(([, href]) => (href ?? '').replaceAll('&amp;', '&'))

test('for everybody but administrators the pages are not there, and visitors are led to sign in', async () => {
  const user = await forge.user({ password })
  const other = await signIn(user)
  const missing = (await other.get('/nothing/of/this')).text
  const bare = (text: string) => text.replaceAll(/(value|href)="[^"]*"/g, '')
  const form_token = await tokenOn(other, '/')
  for (const { pattern, method } of adminPages) {
    const address = pattern.text.replace(':username', user.username).replaceAll(/:\w+/g, '1')
    const answer = method === 'GET' ? await other.get(address) : await other.post(address, { form_token })
    if (address === '/admin/impersonation/stop') expect([address, answer.status]).toEqual([address, 403])
    else expect([address, answer.status, bare(answer.text) === bare(missing)]).toEqual([address, 404, true])
    if (method === 'GET') expect((await browserOf(forge.server).get(address)).location).toContain('/users/sign_in?return_to=')
  }
})

test('every page is a whole document, and every link on it answers', async () => {
  const user = await forge.user({ name: `Ada ${hostile}` })
  await forge.as(user).post('/user/keys', { title: hostile, key: publicKey() })
  const project = await forge.project({ owner: user, name: 'Shapes' })
  const group = await forge.group({ owner: user, name: 'Group' })
  await forge.app.db.insertInto('jobs').values(deadJob()).execute()
  const open = [
    ...adminPages.filter(({ kind, pattern }) => kind === 'page' && !pattern.text.includes(':')).map(({ pattern }) => pattern.text),
    ...['', '/edit', '/keys', '/impersonation_tokens'].map((rest) => `/admin/users/${user.username}${rest}`),
    `/admin/projects/${project.id}`,
    `/admin/groups/${group.id}`,
    ...['dead', 'waiting', 'running'].map((state) => `/admin/jobs?state=${state}`),
    ...['active', 'blocked', 'admins', 'external', 'wop'].map((filter) => `/admin/users?filter=${filter}`),
  ]
  const seen = new Set<string>()
  while (open.length > 0) {
    const address = open.pop() ?? ''
    if (seen.has(address)) continue
    seen.add(address)
    const { status, text } = await me.get(address)
    expect([address, status]).toEqual([address, address === '/admin/settings' ? 303 : 200])
    if (status !== 200) continue
    expect([address, readDocument(text).faults]).toEqual([address, []])
    expect(text).not.toContain('<b>"')
    open.push(...hrefs(text))
  }
  expect(seen.size).toBeGreaterThan(30)
}, 60_000)

function deadJob() {
  const at = new Date().toISOString()
  return {
    name: 'things.prune',
    unique_key: null,
    payload: '{"secret":"hidden"}',
    asked_by: null,
    state: 'dead' as const,
    attempts: 9,
    run_at: at,
    created_at: at,
    owner: null,
    last_error: `Error: no room ${hostile}`,
  }
}

test('a user is created, changed, blocked, unblocked and deleted; wrong fields keep what was typed', async () => {
  const username = `made${Date.now()}`
  const fields = {
    name: 'Grace Hopper',
    username,
    email: `${username}@example.com`,
    password,
    projects_limit: '7',
    can_create_group: 'true',
  }
  const wrong = await me.submit('/admin/users/new', '/admin/users/new', {
    ...fields,
    email: 'nowhere',
    projects_limit: '-1',
    password: 'short',
  })
  expect([
    wrong.status,
    wrong.text.includes('value="Grace Hopper"'),
    wrong.text.includes('is not a number'),
    wrong.text.includes('short"'),
  ]).toEqual([422, true, true, false])
  expect((await me.submit('/admin/users/new', '/admin/users/new', fields)).location).toBe(`/admin/users/${username}`)
  const twice = await me.submit('/admin/users/new', '/admin/users/new', { ...fields, email: 'other@example.com' })
  expect([twice.status, twice.text.includes('Username has already been taken')]).toEqual([422, true])

  const at = `/admin/users/${username}`
  const edited = await me.submit(`${at}/edit`, `${at}/edit`, {
    ...fields,
    password: '',
    name: 'Grace',
    admin: 'true',
    provider: 'ldap',
    extern_uid: 'g',
  })
  expect(edited.status).toBe(303)
  const { text } = await me.get(at)
  expect([text.includes('administrator'), text.includes('ldap: g'), text.includes('0 of at most 7 projects')]).toEqual([true, true, true])
  expect((await me.submit(`${at}/edit`, `${at}/edit`, { ...fields, provider: 'ldap' })).status).toBe(422)

  expect((await me.submit(at, `${at}/block`)).status).toBe(303)
  expect((await me.get('/admin/users?filter=blocked')).text).toContain(`@${username}`)
  expect((await me.submit(at, `${at}/unblock`)).status).toBe(303)
  const unnamed = await me.submit(at, `${at}/delete`, { confirm: 'somebody else' })
  expect([unnamed.status, unnamed.text.includes('Confirm is not the username')]).toEqual([422, true])
  expect((await me.submit(at, `${at}/delete`, { confirm: username })).location).toBe('/admin/users')
  expect((await me.get(at)).status).toBe(404)
})

test('the last administrator can neither be blocked, demoted nor deleted', async () => {
  await forge.as(admin).put(`/users/${forge.root.id}`, { admin: false })
  const at = `/admin/users/${admin.username}`
  const form_token = await tokenOn(me, at)
  const demoted = await me.post(`${at}/edit`, {
    form_token,
    name: admin.name,
    username: admin.username,
    email: admin.email,
    admin: 'false',
  })
  const refusals = [
    await me.post(`${at}/block`, { form_token }),
    demoted,
    await me.post(`${at}/delete`, { form_token, confirm: admin.username }),
  ]
  expect(refusals.map(({ status, text }) => [status, text.includes('The last administrator has to remain one')])).toEqual([
    [403, true],
    [403, true],
    [403, true],
  ])
  await forge.as(admin).put(`/users/${forge.root.id}`, { admin: true })
})

test('while an administrator acts as a user, every page says so, and nothing counts as the user’s own activity', async () => {
  const user = await forge.user({ password, name: `Ada ${hostile}` })
  const browser = await signIn(admin)
  const before = browser.cookies.get('_service_session')
  const started = await browser.submit(`/admin/users/${user.username}`, `/admin/users/${user.username}/impersonate`)
  expect([started.status, started.location]).toEqual([303, '/'])
  expect(browser.cookies.get('_service_session')).not.toBe(before)
  for (const address of ['/', '/profile', '/admin', '/nothing/of/this']) {
    const { text } = await browser.get(address)
    expect([address, text.includes('You act as <b><bdi>Ada &lt;b&gt;')]).toEqual([address, true])
  }
  expect((await browser.get('/admin')).status).toBe(404)
  expect((await browser.get('/profile/active_sessions')).text).not.toContain('this one')
  expect((await forge.as(forge.root).get(`/users/${user.id}`)).body).toMatchObject({ last_activity_on: null, current_sign_in_at: null })

  const stopped = await browser.submit('/', '/admin/impersonation/stop')
  expect([stopped.status, stopped.location]).toEqual([303, `/admin/users/${user.username}`])
  const back = await browser.get('/admin')
  expect([back.status, back.text.includes('You act as')]).toEqual([200, false])
})

test('nobody acts as a blocked user, as themselves, as the ghost, or as a second user at once', async () => {
  const [user, other] = [await forge.user({ password }), await forge.user({ password })]
  const browser = await signIn(admin)
  const form_token = await tokenOn(browser, '/admin')
  await forge.as(forge.root).post(`/users/${other.id}/block`)
  for (const name of [other.username, admin.username]) {
    expect((await browser.get(`/admin/users/${name}`)).text).not.toContain('/impersonate"')
    expect([name, (await browser.post(`/admin/users/${name}/impersonate`, { form_token })).status]).toEqual([name, 403])
  }
  await browser.submit(`/admin/users/${user.username}`, `/admin/users/${user.username}/impersonate`)
  expect((await browser.post(`/admin/users/${user.username}/impersonate`, { form_token: await tokenOn(browser, '/') })).status).toBe(404)
  expect((await me.post('/admin/impersonation/stop', { form_token: await tokenOn(me, '/admin') })).status).toBe(403)
})

test('an impersonation ends when its administrator is blocked or demoted, or the user is blocked', async () => {
  for (const end of ['block', 'demote', 'block the user'] as const) {
    const [another, user] = [await forge.user({ password, admin: true }), await forge.user({ password })]
    const browser = await signIn(another)
    await browser.submit(`/admin/users/${user.username}`, `/admin/users/${user.username}/impersonate`)
    const root = forge.as(forge.root)
    if (end === 'block') await root.post(`/users/${another.id}/block`)
    if (end === 'demote') await root.put(`/users/${another.id}`, { admin: false })
    if (end === 'block the user') await root.post(`/users/${user.id}/block`)
    expect([end, (await browser.get('/profile')).location]).toEqual([end, '/users/sign_in?return_to=%2Fprofile'])
  }
})

test('an impersonation token is shown once, acts as the user, and can be revoked', async () => {
  const user = await forge.user()
  const at = `/admin/users/${user.username}/impersonation_tokens`
  const made = await me.submit(at, at, { name: hostile, scope_api: 'true' })
  expect([made.status, readDocument(made.text).faults]).toEqual([201, []])
  const token = /gst-[0-9a-f]{40}/.exec(made.text)?.[0] ?? ''
  const { id } = (await forge.as(user, { token }).get('/user')).body
  expect(id).toBe(user.id)
  const list = (await me.get(at)).text
  expect(list).not.toContain(token)
  const [, number] = /impersonation_tokens\/(\d+)\/revoke/.exec(list) ?? []
  expect((await me.submit(at, `${at}/${number}/revoke`)).status).toBe(303)
  expect((await forge.as(user, { token }).get('/user')).status).toBe(401)
  expect((await me.submit(at, at, { name: '' })).status).toBe(422)
})

test('groups and projects are found, transferred and deleted by their paths', async () => {
  const [group, project] = [await forge.group({ name: 'Targets' }), await forge.project({ name: 'Arrow' })]
  expect((await me.get('/admin/projects?search=arrow&visibility=private')).text).toContain(project.full_path)
  expect((await me.get('/admin/groups?search=targets')).text).toContain(group.full_path)
  const at = `/admin/projects/${project.id}`
  const nowhere = await me.submit(at, `${at}/transfer`, { namespace: 'no/such/group' })
  expect([nowhere.status, nowhere.text.includes('is neither a group nor a user')]).toEqual([422, true])
  expect((await me.submit(at, `${at}/transfer`, { namespace: group.full_path.toUpperCase() })).status).toBe(303)
  expect((await me.get(at)).text).toContain(`${group.full_path}/${project.path}`)
  expect((await me.submit(at, `${at}/housekeeping`)).status).toBe(303)
  expect((await me.submit(at, `${at}/housekeeping`)).status).toBe(409)
  expect((await me.submit(at, `${at}/delete`, { confirm: 'another' })).status).toBe(422)
  expect((await me.submit(at, `${at}/delete`, { confirm: `${group.full_path}/${project.path}` })).status).toBe(303)
  expect((await me.get(at)).status).toBe(404)
  expect((await me.submit(`/admin/groups/${group.id}`, `/admin/groups/${group.id}/delete`, { confirm: group.full_path })).status).toBe(303)
})

test('settings are saved by group, a wrong value is refused by its field, and other groups stay', async () => {
  const at = '/admin/application_settings'
  const save = (group: string, fields: Record<string, string>) => me.submit(`${at}?group=${group}`, at, { group, ...fields })
  expect((await save('help', { help_page_text: 'Ask **Ada**', help_page_support_url: '', terms: '', enforce_terms: 'false' })).status).toBe(
    303,
  )
  const wrong = await save('help', { help_page_text: 'Kept text', help_page_support_url: 'nowhere', terms: '', enforce_terms: 'true' })
  expect([wrong.status, wrong.text.includes('Kept text'), wrong.text.includes('Link to support ')]).toEqual([422, true, true])
  expect(
    (
      await save('visibility', {
        'restricted_visibility_levels.public': 'true',
        default_project_visibility: 'internal',
        default_group_visibility: 'private',
        default_branch_protection: '1',
      })
    ).status,
  ).toBe(303)
  const { body } = await forge.as(admin).get('/application/settings')
  expect(body).toMatchObject({
    help_page_text: 'Ask **Ada**',
    help_page_support_url: null,
    default_project_visibility: 'internal',
    default_branch_protection: 1,
    restricted_visibility_levels: ['public'],
    signup_enabled: true,
  })
  const domains = {
    domain_blacklist_enabled: 'true',
    domain_blacklist: 'bad.example\r\n\r\n*.worse.example',
    signup_enabled: 'true',
    default_projects_limit: 'many',
  }
  const limited = await save('sign-up', domains)
  expect([
    limited.status,
    limited.text.includes('Personal projects of a new user is not a valid value'),
    limited.text.includes('*.worse.example'),
  ]).toEqual([422, true, true])
  expect((await save('sign-up', { ...domains, default_projects_limit: '10' })).status).toBe(303)
  expect((await forge.as(admin).get('/application/settings')).body).toMatchObject({
    domain_blacklist: ['bad.example', '*.worse.example'],
    default_projects_limit: 10,
  })
})

test('every group of settings can be saved as it is shown, and a secret stays where its field is left empty', async () => {
  await forge.as(admin).put('/application/settings', { captcha_private_key: 'secret-of-captcha' })
  const before = (await forge.as(admin).get('/application/settings')).body
  for (const group of ['sign-up', 'sign-in', 'visibility', 'transfer', 'git', 'limits', 'help', 'kept']) {
    const address = `/admin/application_settings?group=${group}`
    const { text } = await me.get(address)
    expect(text).not.toContain('secret-of-captcha')
    const saved = await me.post('/admin/application_settings', fieldsOn(text))
    expect([group, saved.status, saved.status === 303 ? '' : saved.text]).toEqual([group, 303, ''])
  }
  const { updated_at: _, ...after } = (await forge.as(admin).get('/application/settings')).body
  expect({ ...before, updated_at: undefined }).toEqual({ ...after, updated_at: undefined })
})

/** The fields of the last form on the page, as a browser would send them. */
function fieldsOn(text: string): Record<string, string> {
  const form = text.slice(text.lastIndexOf('<form'), text.lastIndexOf('</form>'))
  const fields: Record<string, string> = {}
  const plain = (value = '') =>
    value.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
  for (const [, attributes = ''] of form.matchAll(/<input([^>]*)>/g)) {
    const of = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1]
    if (of('type') === 'checkbox' && !attributes.includes(' checked')) continue
    fields[plain(of('name'))] = plain(of('value'))
  }
  for (const [, name = '', content = ''] of form.matchAll(/<textarea[^>]*name="([^"]*)"[^>]*>\n?(.*?)<\/textarea>/gs))
    fields[name] = plain(content)
  for (const [, name = '', options = ''] of form.matchAll(/<select[^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/gs))
    fields[name] = plain(/value="([^"]*)" selected/.exec(options)?.[1])
  return fields
}

test('dead jobs show their errors without payloads, run again one by one or together, and are deleted', async () => {
  await forge.app.db.deleteFrom('jobs').where('state', '=', 'dead').execute()
  const ids: number[] = []
  for (let index = 0; index < 3; index += 1) {
    const { id } = await forge.app.db.insertInto('jobs').values(deadJob()).returning('id').executeTakeFirstOrThrow()
    ids.push(id)
  }
  const { text } = await me.get('/admin/jobs')
  expect([text.includes('no room &lt;b&gt;'), text.includes('hidden"}'), text.includes('Dead (3)')]).toEqual([true, false, true])
  const form_token = await tokenOn(me, '/admin/jobs')
  expect((await me.post('/admin/jobs/run_again', { form_token, job: `${ids[0]}` })).status).toBe(303)
  expect((await me.post('/admin/jobs/delete', { form_token, job: `${ids[1]}` })).status).toBe(303)
  expect((await me.post('/admin/jobs/delete', { form_token, job: `${ids[1]}` })).status).toBe(409)
  for (const job of ['', '0', '-1', 'all', '1e9'])
    expect([job, (await me.post('/admin/jobs/delete', { form_token, job })).status]).toEqual([job, 400])
  expect((await me.post('/admin/jobs/run_again', { form_token, job: 'dead' })).status).toBe(303)
  expect((await me.get('/admin/jobs')).text).toContain('Dead (0)')
  await forge.app.db.deleteFrom('jobs').where('name', '=', 'things.prune').execute()
})

test('a message is previewed, shown on every page in its time, dismissed by each browser, and shown again when it changes', async () => {
  const at = '/admin/broadcast_messages'
  const words = `Down at noon **sharp** ${hostile}`
  const preview = await me.submit(at, at, { message: words, color: '#123', preview: 'true' })
  expect([preview.status, preview.text.includes('Preview</h2>'), (await me.get('/help')).text.includes('Down at noon')]).toEqual([
    200,
    true,
    false,
  ])
  const wrong = await me.submit(at, at, { message: words, color: 'red;', starts_at: '2030-01-02T00:00', ends_at: '2030-01-01T00:00' })
  expect([wrong.status, wrong.text.includes('is before the beginning'), wrong.text.includes('Down at noon')]).toEqual([422, true, true])
  const color = await me.submit(at, at, { message: words, color: 'red"' })
  expect([color.status, color.text.includes('Color must be a valid color code')]).toEqual([422, true])
  expect((await me.submit(at, at, { message: words, color: '#2f5d50', starts_at: '', ends_at: '' })).status).toBe(303)
  await me.submit(at, at, { message: 'In ten years', starts_at: '2036-01-01T00:00', ends_at: '2036-01-02T00:00' })

  const visitor = browserOf(forge.server)
  const help = await visitor.get('/help')
  expect([
    help.text.includes('Down at noon <strong>sharp</strong>'),
    help.text.includes('In ten years'),
    readDocument(help.text).faults,
  ]).toEqual([true, false, []])
  const dismissed = await visitor.submit('/help', '/-/broadcast_messages/dismiss')
  expect(dismissed.location).toBe('/help')
  expect((await visitor.get('/help')).text).not.toContain('Down at noon')
  expect((await me.get('/help')).text).toContain('Down at noon')

  const [, id] = /broadcast_messages\/(\d+)\/edit/.exec((await me.get(at)).text.split('Down at noon').at(-1) ?? '') ?? []
  expect((await me.submit(`${at}/${id}/edit`, `${at}/${id}/edit`, { message: 'Down at one' })).status).toBe(303)
  expect((await visitor.get('/help')).text).toContain('Down at one')
  expect((await me.submit(at, `${at}/${id}/delete`)).status).toBe(303)
  expect((await me.get(`${at}/${id}/edit`)).status).toBe(404)
})

test('a message costs a page no statement once it is known', async () => {
  await me.submit('/admin/broadcast_messages', '/admin/broadcast_messages', { message: 'Hello' })
  const visitor = browserOf(forge.server)
  const cost = async () => {
    await visitor.get('/help')
    return forge.cost(() => visitor.get('/help'))
  }
  const one = await cost()
  for (let number = 0; number < 5; number += 1)
    await me.submit('/admin/broadcast_messages', '/admin/broadcast_messages', { message: `Hello ${number}` })
  expect(await cost()).toEqual(one)
})

test('a public deploy key is offered to every project, renamed, and stays where it was enabled when it is offered no longer', async () => {
  const at = '/admin/deploy_keys'
  const key = publicKey()
  expect((await me.submit(at, at, { title: 'Mirror', key })).status).toBe(303)
  const twice = await me.submit(at, at, { title: 'Mirror', key })
  expect([twice.status, twice.text.includes('Key has already been taken')]).toEqual([422, true])
  const [stored] = (await forge.as(admin).get('/deploy_keys')).body.filter((one: { title: string }) => one.title === 'Mirror')
  expect(stored.public).toBe(true)
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer })
  expect((await forge.as(maintainer).post(`/projects/${project.id}/deploy_keys/${stored.id}/enable`)).status).toBe(201)
  expect((await me.submit(`${at}/${stored.id}/edit`, `${at}/${stored.id}/edit`, { title: '' })).status).toBe(422)
  expect((await me.submit(`${at}/${stored.id}/edit`, `${at}/${stored.id}/edit`, { title: hostile })).status).toBe(303)
  expect((await me.submit(at, `${at}/${stored.id}/delete`)).status).toBe(303)
  expect((await forge.as(maintainer).get(`/projects/${project.id}/deploy_keys`)).body).toHaveLength(1)
  expect((await me.get(`${at}/${stored.id}/edit`)).status).toBe(404)
  await me.submit(at, at, { title: 'Nobody', key: publicKey() })
  const [unused] = (await forge.as(admin).get('/deploy_keys')).body.filter((one: { title: string }) => one.title === 'Nobody')
  await me.submit(at, `${at}/${unused.id}/delete`)
  expect((await forge.as(admin).get('/deploy_keys')).body.filter((one: { id: number }) => one.id === unused.id)).toEqual([])
})

test('a feature flag is set for everybody or for some, refused for nobody, and reset', async () => {
  const at = '/admin/features'
  const set = (fields: Record<string, string>) => me.submit(at, at, { name: 'new_thing', value: 'true', scope: 'everybody', ...fields })
  expect((await set({})).status).toBe(303)
  expect((await set({ name: 'for_ada', scope: 'user', names: admin.username })).status).toBe(303)
  expect((await me.get(at)).text).toMatch(/new_thing[\s\S]*<span class="tag">on<\/span>/)
  for (const fields of [{ name: 'a b' }, { value: '101' }, { scope: 'user', names: 'nobody-at-all' }, { scope: 'nothing' }]) {
    const { status, text } = await set(fields)
    expect([fields, status, text.includes('class="problems"')]).toEqual([fields, 422, true])
  }
  expect((await me.submit(at, '/admin/features/remove')).status).toBe(303)
})

test('health names every check with its finding, and failures of the storage can be forgotten', async () => {
  await forge.app.db.insertInto('storage_failures').values({ hostname: hostile, failures: 3, last_at: new Date().toISOString() }).execute()
  const { text } = await me.get('/admin/health')
  for (const check of ['node', 'git', 'folder', 'space', 'database', 'clock', 'ssh']) expect(text).toContain(`<b>${check}</b>`)
  expect(text).toContain('3 failures')
  expect((await me.submit('/admin/health', '/admin/health/reset_storage_health')).status).toBe(303)
  expect((await me.get('/admin/health')).text).toContain('The storage can be written.')
})

test('lists of users, groups, projects, jobs and keys cost the same however long they are', async () => {
  const addresses = ['/admin', '/admin/users', '/admin/groups', '/admin/projects', '/admin/jobs', '/admin/deploy_keys', '/admin/features']
  const costs = async () => {
    const found: unknown[] = []
    for (const address of addresses) {
      await me.get(address)
      found.push([address, await forge.cost(() => me.get(address))])
    }
    return found
  }
  const add = async () => {
    const owner = await forge.user()
    await forge.group({ owner })
    await forge.project({ owner, files: null })
    await forge.app.db.insertInto('jobs').values(deadJob()).execute()
    await me.submit('/admin/deploy_keys', '/admin/deploy_keys', { title: 'Key', key: publicKey() })
  }
  await add()
  const few = await costs()
  for (let number = 0; number < 6; number += 1) await add()
  expect(await costs()).toEqual(few)
})

test('who acts as a user accepts no terms for them', async () => {
  await forge.as(forge.root).put('/application/settings', { terms: 'Be kind' })
  const user = await forge.user({ password })
  const browser = await signIn(admin)
  await browser.submit(`/admin/users/${user.username}`, `/admin/users/${user.username}/impersonate`)
  expect((await browser.submit('/-/terms', '/-/terms')).status).toBe(403)
  const { accepted_terms } = await forge.app.db
    .selectFrom('users')
    .select('accepted_terms')
    .where('id', '=', user.id)
    .executeTakeFirstOrThrow()
  expect(accepted_terms).toBeNull()
})

test('a filter that is none is ignored, whatever it is called', async () => {
  const browser = await signIn(admin)
  for (const address of ['projects?archived=constructor', 'users?filter=constructor&sort=constructor', 'jobs?state=constructor'])
    expect([address, (await browser.get(`/admin/${address}`)).status]).toEqual([address, 200])
})
