/** The page of the audit log: what it shows, and how it is narrowed. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'

const password = 'correct horse battery'

let forge: Forge
let admin: TestUser
let me: Browser

beforeAll(async () => {
  forge = await testForge()
  admin = await forge.user({ password, admin: true })
  me = browserOf(forge.server)
  await forge.app.db.deleteFrom('audit_events').execute()
  await me.submit('/users/sign_in', '/users/sign_in', { login: admin.username, password: 'wrong password' })
  await me.submit('/users/sign_in', '/users/sign_in', { login: admin.username, password })
})

/** The sentences of the lines that are shown, the newest first. */
async function shown(query: string): Promise<string[]> {
  const { status, text } = await me.get(`/admin/audit_log${query}`)
  expect([query, status]).toEqual([query, 200])
  expect([query, readDocument(text).faults]).toEqual([query, []])
  return [...text.matchAll(/class="what">\s*<b><bdi>([^<]*)<\/bdi>/g)].map(([, sentence]) => sentence ?? '')
}

test('good and failed sign-ins by the page are lines, the newest first', async () => {
  expect(await shown('')).toEqual(['Signed in', 'Failed to sign in'])
})

test('an impersonation is told with both names, and so is what is done in it', async () => {
  const user = await forge.user()
  await me.submit(`/admin/users/${user.username}`, `/admin/users/${user.username}/impersonate`, {})
  await me.submit('/projects/new', '/projects/new/blank', { name: 'Made as another', visibility: 'private' })
  await me.submit('/', '/admin/impersonation/stop', {})
  const rows = await forge.app.db.selectFrom('audit_events').selectAll().where('author_id', '=', admin.id).orderBy('id').execute()
  const found = rows.map((row) => [row.event_name, row.author_name, JSON.parse(row.details).acts_as])
  expect(found.slice(-3)).toEqual([
    ['impersonation_started', admin.username, undefined],
    ['project_created', admin.username, user.username],
    ['impersonation_stopped', admin.username, user.username],
  ])
})

test('lines are narrowed by author, kind, event and days; what is none of these narrows nothing', async () => {
  expect(await shown('?event_name=sign_in_failed')).toEqual(['Failed to sign in'])
  expect(await shown('?search=nobody-by-this-name')).toEqual([])
  expect(await shown(`?search=${admin.username}&entity_type=User&event_name=signed_in&from=&to=`)).toEqual(['Signed in'])
  expect(await shown('?to=2020-01-01')).toEqual([])
  const all = (await shown('')).length
  for (const query of ['?event_name=%3Cb%3E', '?entity_type=Nothing', '?from=2020-01-01']) expect(await shown(query)).toHaveLength(all)
  for (const query of ['?from=yesterday', '?to=2020-13-01', '?page=0']) expect((await me.get(`/admin/audit_log${query}`)).status).toBe(400)
})

test('names are text, whatever is in them', async () => {
  const group = await forge.group()
  const at = `/groups/${group.id}`
  await forge.as(forge.root).post(`${at}/deploy_tokens`, { name: `<b>"'&</b>`, scopes: ['read_repository'] })
  const { text } = await me.get('/admin/audit_log?event_name=deploy_token_created')
  expect(text).toContain('Created deploy token &lt;b&gt;')
  expect(text).not.toContain('<b>"')
})
