/** Headers and URL variables of webhooks: who sets them, that no value comes back, and that no other host gets them. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { fillUrl } from './named-values.ts'

let forge: Forge
let maintainer: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  maintainer = await forge.user()
  project = await forge.project({ maintainer })
})

/** An address: names would be looked up. */
const url = 'https://93.184.216.34/{team}/hook'
const client = () => forge.as(maintainer)

async function addHook(settings: Record<string, unknown> = {}): Promise<{ path: string; body: Record<string, unknown> }> {
  const { status, body } = await client().post(`/projects/${project.id}/hooks`, { url, ...settings })
  expect([status, body.url]).toEqual([201, url])
  return { path: `/projects/${project.id}/hooks/${body.id}`, body }
}

test('headers and variables are set with the webhook or one by one; their names are shown, their values never', async () => {
  const hook = await addHook({
    custom_headers: [{ key: 'X-Api-Key', value: 'hush one' }],
    url_variables: [{ key: 'team', value: 'hush-two' }],
  })
  expect(hook.body).toMatchObject({ custom_headers: [{ key: 'X-Api-Key' }], url_variables: [{ key: 'team' }] })
  expect((await client().put(`${hook.path}/custom_headers/Authorization`, { value: 'Bearer hush' })).status).toBe(204)
  expect((await client().put(`${hook.path}/url_variables/room`, { value: 'hush' })).status).toBe(204)
  const { body: changed } = await client().put(hook.path, { custom_headers: [{ key: 'x-api-key', value: 'hush three' }] })
  expect(changed).toMatchObject({
    custom_headers: [{ key: 'Authorization' }, { key: 'x-api-key' }],
    url_variables: [{ key: 'team' }, { key: 'room' }],
  })
  expect((await client().delete(`${hook.path}/custom_headers/Authorization`)).status).toBe(204)
  expect((await client().delete(`${hook.path}/custom_headers/Authorization`)).status).toBe(404)
  expect((await client().delete(`${hook.path}/url_variables/room`)).status).toBe(204)
  expect((await client().delete(`${hook.path}/url_variables/constructor`)).status).toBe(404)
  const shown = (await client().get(hook.path)).body
  expect([shown.custom_headers, shown.url_variables]).toEqual([[{ key: 'x-api-key' }], [{ key: 'team' }]])
  const stored = await forge.app.db.selectFrom('hooks').selectAll().execute()
  expect(JSON.stringify([hook.body, changed, shown, stored])).not.toContain('hush')
})

test.each([
  ['a header with a line break', 'custom_headers/X-A', 'a\r\nX-B: 1'],
  ['a header of the delivery', 'custom_headers/X-Gitlab-Token', 'a'],
  ['a header of the connection', 'custom_headers/Transfer-Encoding', 'chunked'],
  ['a header without a name', 'custom_headers/%20', 'a'],
  ['an empty header', 'custom_headers/X-A', ''],
  ['a long header', 'custom_headers/X-A', 'a'.repeat(2_049)],
  ['a variable with whitespace', 'url_variables/team', 'a b'],
  ['a variable that no URL can name', 'url_variables/a-b', 'a'],
])('%s is refused and changes nothing', async (_, rest, value) => {
  const hook = await addHook()
  expect((await client().put(`${hook.path}/${rest}`, { value })).status).toBe(400)
  expect((await client().get(hook.path)).body).toEqual(hook.body)
})

test('a webhook has at most twenty headers, also where they are set at once', async () => {
  const hook = await addHook()
  const set = (index: number) => client().put(`${hook.path}/custom_headers/X-${index}`, { value: 'a' })
  const statuses = (await Promise.all(Array.from({ length: 24 }, (_, index) => set(index)))).map(({ status }) => status)
  expect([statuses.filter((status) => status === 204).length, statuses.filter((status) => status === 400).length]).toEqual([20, 4])
  expect((await client().get(hook.path)).body.custom_headers).toHaveLength(20)
})

test('a URL that leads to another host takes no secret along that is not sent with it', async () => {
  const secrets = { token: 'hush', custom_headers: [{ key: 'X-A', value: 'hush' }], url_variables: [{ key: 'team', value: 'hush' }] }
  const hook = await addHook(secrets)
  const { body: same } = await client().put(hook.path, { url: 'https://93.184.216.34/other/{team}' })
  expect([same.custom_headers, same.url_variables]).toEqual([[{ key: 'X-A' }], [{ key: 'team' }]])
  const { body: other } = await client().put(hook.path, {
    url: 'https://93.184.216.35/{team}',
    url_variables: [{ key: 'team', value: 'a' }],
  })
  expect([other.custom_headers, other.url_variables]).toEqual([[], [{ key: 'team' }]])
  const [row] = await forge.app.db.selectFrom('hooks').select('token').where('id', '=', other.id).execute()
  expect(row?.token).toBeNull()
})

test('variables stand in the path and the query, never in the host', () => {
  const variables = { team: 'a', __proto__: 'x' }
  expect(fillUrl('https://{team}.example.com/{team}?x={team}', variables)).toEqual({
    url: 'https://{team}.example.com/a?x=a',
    missing: null,
  })
  expect(fillUrl('https://example.com/{team}/{constructor}', variables)).toMatchObject({ missing: 'constructor' })
})
