/** Feature flags of projects: what they may be, and what programs read of them. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { instanceIdOf, resetInstanceId } from './project-flags.ts'

let forge: Forge
let developer: TestUser
let project: TestProject
beforeAll(async () => {
  forge = await testForge()
  developer = await forge.user()
})

const fresh = async () => {
  project = await forge.project({ developer, files: null })
  return `/projects/${project.id}/feature_flags`
}

/** The flags that a program in this environment receives. */
async function served(environment: string, headers: Record<string, string> = {}) {
  const instance_id = await instanceIdOf(forge.app, project.id)
  return forge.anonymous.get(`/feature_flags/unleash/${project.id}/client/features`, {
    headers: { 'unleash-instanceid': instance_id, 'unleash-appname': environment, ...headers },
  })
}

test('a flag is created, read, changed and deleted with its strategies', async () => {
  const at = await fresh()
  const client = forge.as(developer)
  const created = await client.post(at, {
    name: 'new_search',
    description: 'Finds more',
    version: 'new_version_flag',
    strategies: [
      { name: 'userWithId', parameters: { userIds: 'ada,bob' }, scopes: [{ environment_scope: 'production' }] },
      { name: 'flexibleRollout', parameters: { groupId: 'default', rollout: '25', stickiness: 'userId' } },
    ],
  })
  expect([created.status, created.body]).toMatchObject([
    201,
    {
      name: 'new_search',
      description: 'Finds more',
      active: true,
      version: 'new_version_flag',
      scopes: [],
      strategies: [
        { name: 'userWithId', parameters: { userIds: 'ada,bob' }, scopes: [{ environment_scope: 'production' }], user_list: null },
        { name: 'flexibleRollout', scopes: [{ environment_scope: '*' }] },
      ],
    },
  ])
  const [first, second] = created.body.strategies
  const changed = await client.put(`${at}/new_search`, {
    active: false,
    strategies: [
      { id: first.id, scopes: [{ id: first.scopes[0].id, environment_scope: 'review/*' }, { environment_scope: 'staging' }] },
      { id: second.id, _destroy: true },
      { name: 'default' },
    ],
  })
  expect([changed.status, changed.body]).toMatchObject([
    200,
    {
      active: false,
      description: 'Finds more',
      strategies: [
        {
          id: first.id,
          parameters: { userIds: 'ada,bob' },
          scopes: [{ id: first.scopes[0].id, environment_scope: 'review/*' }, { environment_scope: 'staging' }],
        },
        { name: 'default', parameters: {}, scopes: [{ environment_scope: '*' }] },
      ],
    },
  ])
  expect((await client.get(`${at}/new_search`)).body).toEqual(changed.body)
  expect((await client.get(`${at}?scope=disabled`)).body).toEqual([changed.body])
  expect((await client.get(`${at}?scope=enabled`)).body).toEqual([])
  const deleted = await client.delete(`${at}/new_search`)
  expect([deleted.status, deleted.body]).toEqual([200, changed.body])
  expect((await client.get(`${at}/new_search`)).status).toBe(404)
})

test('what cannot be a flag or a strategy is refused, and leaves nothing', async () => {
  const at = await fresh()
  const client = forge.as(developer)
  await client.post(at, { name: 'taken' })
  for (const name of ['a', 'A_flag', '1st', 'ends_', '../etc', 'a b', 'x'.repeat(64), 'taken'])
    expect([name, (await client.post(at, { name })).status]).toEqual([name, 400])
  expect((await client.post(at, { name: 'nul\0' })).status).toBe(400)
  expect((await client.post(at, { name: 'older', version: 'legacy_flag' })).body).toEqual({ message: 'Version is invalid' })
  const strategies: unknown[] = [
    { name: 'unknown' },
    { name: 'default', parameters: { userIds: 'ada' } },
    { name: 'userWithId' },
    { name: 'userWithId', parameters: { userIds: '' } },
    { name: 'userWithId', parameters: { userIds: 'ada, bob' } },
    { name: 'userWithId', parameters: { userIds: 'ada,ada' } },
    { name: 'userWithId', parameters: { userIds: 'x'.repeat(257) } },
    { name: 'userWithId', parameters: { userIds: 5 } },
    { name: 'gradualRolloutUserId', parameters: { groupId: 'default', percentage: '101' } },
    { name: 'gradualRolloutUserId', parameters: { groupId: 'A', percentage: '10' } },
    { name: 'flexibleRollout', parameters: { groupId: 'default', rollout: '10', stickiness: 'moon' } },
    { name: 'flexibleRollout', parameters: { groupId: 'default', rollout: '1e1', stickiness: 'userId' } },
    { name: 'gitlabUserList' },
    { name: 'gitlabUserList', user_list_id: 999_999_999 },
    { name: 'default', scopes: [{ environment_scope: 'a\nb' }] },
    { name: 'default', scopes: [{ environment_scope: 'prod' }, { environment_scope: 'prod' }] },
    { id: 999_999_999, name: 'default' },
  ]
  for (const strategy of strategies) {
    const { status } = await client.post(at, { name: 'broken', strategies: [strategy] })
    expect([strategy, status]).toEqual([strategy, 'id' in (strategy as object) ? 201 : 400])
    await client.delete(`${at}/broken`)
  }
  expect((await client.put(`${at}/taken`, { strategies: [{ id: 999_999_999, _destroy: true }] })).status).toBe(400)
  const many = Array.from({ length: 51 }, () => ({ name: 'default' }))
  expect((await client.post(at, { name: 'many', strategies: many })).status).toBe(400)
  expect((await client.get(at)).body.map(({ name }: { name: string }) => name)).toEqual(['taken'])
})

test('a list of users is served with each strategy that names it, and not deleted as long as one does', async () => {
  const flags = await fresh()
  const at = `/projects/${project.id}/feature_flags_user_lists`
  const client = forge.as(developer)
  const created = await client.post(at, { name: 'Testers', user_xids: 'ada,bob' })
  expect([created.status, created.body]).toMatchObject([201, { iid: 1, project_id: project.id, name: 'Testers', user_xids: 'ada,bob' }])
  expect((await client.post(at, { name: 'Testers', user_xids: '' })).status).toBe(400)
  expect((await client.post(at, { name: 'Others', user_xids: 'a,,b' })).status).toBe(400)
  expect((await client.get(`${at}?search=TEST`)).body).toEqual([created.body])
  await client.post(flags, { name: 'tried_out', strategies: [{ name: 'gitlabUserList', user_list_id: created.body.id }] })
  expect((await served('production')).body.features).toEqual([
    { name: 'tried_out', description: '', enabled: true, strategies: [{ name: 'userWithId', parameters: { userIds: 'ada,bob' } }] },
  ])
  expect((await client.put(`${at}/1`, { user_xids: 'eve' })).body.user_xids).toBe('eve')
  expect((await served('production')).body.features[0].strategies[0].parameters).toEqual({ userIds: 'eve' })
  expect((await client.delete(`${at}/1`)).status).toBe(409)
  await client.delete(`${flags}/tried_out`)
  expect((await client.delete(`${at}/1`)).status).toBe(204)

  // A list of another project is none of this one.
  const other = await forge.project({ developer, files: null })
  const theirs = await client.post(`/projects/${other.id}/feature_flags_user_lists`, { name: 'Theirs', user_xids: 'mallory' })
  const sent = { name: 'stolen', strategies: [{ name: 'gitlabUserList', user_list_id: theirs.body.id }] }
  expect((await client.post(flags, sent)).status).toBe(400)
})

test('all flags of a project together, their lists of users included, stay small enough to be served', async () => {
  const flags = await fresh()
  const lists = `/projects/${project.id}/feature_flags_user_lists`
  const client = forge.as(developer)
  const user_xids = Array.from({ length: 600 }, (_, index) => `${index}-${'x'.repeat(150)}`).join(',')
  const { body: list } = await client.post(lists, { name: 'Many', user_xids })
  const naming = (count: number) => Array.from({ length: count }, () => ({ name: 'gitlabUserList', user_list_id: list.id }))
  expect((await client.post(flags, { name: 'first', strategies: naming(40) })).status).toBe(201)
  expect((await client.post(flags, { name: 'second', strategies: naming(40) })).status).toBe(400)
  expect((await client.put(`${flags}/first`, { strategies: naming(5) })).status).toBe(400)
  expect(
    (await client.put(`${lists}/${list.iid}`, { user_xids: `${user_xids},${user_xids.slice(0, 8_000).replaceAll('x', 'y')}` })).status,
  ).toBe(400)
  expect((await served('production')).body.features.map(({ name }: { name: string }) => name)).toEqual(['first'])

  const scopes = Array.from({ length: 50 }, (_, index) => ({ environment_scope: `review/${index}` }))
  const everywhere = Array.from({ length: 50 }, () => ({ name: 'default', scopes }))
  const statuses: number[] = []
  await client.delete(`${flags}/first`)
  for (let number = 0; number < 9; number += 1)
    statuses.push((await client.post(flags, { name: `flag_${number}x`, strategies: everywhere })).status)
  expect(statuses).toEqual([...Array(8).fill(201), 400])
})

test('a longer name of an environment than there are is that of no environment', async () => {
  const at = await fresh()
  const client = forge.as(developer)
  await client.post(at, { name: 'somewhere', strategies: [{ name: 'default', scopes: [{ environment_scope: 'a*' }] }] })
  await client.post(at, { name: 'everywhere', strategies: [{ name: 'default' }] })
  const namesIn = async (environment: string) => (await served(environment)).body.features.map(({ name }: { name: string }) => name)
  expect(await namesIn('a'.repeat(255))).toEqual(['somewhere', 'everywhere'])
  expect(await namesIn('a'.repeat(256))).toEqual(['everywhere'])
})

test('a program reads the flags that count in its environment, and sees a change with its next request', async () => {
  const at = await fresh()
  const client = forge.as(developer)
  await client.post(at, { name: 'everywhere', strategies: [{ name: 'default' }] })
  const scoped = (scope: string) => [{ name: 'default', scopes: [{ environment_scope: scope }] }]
  await client.post(at, { name: 'in_reviews', strategies: scoped('review/*') })
  await client.post(at, { name: 'in_production', strategies: scoped('production') })
  await client.post(at, { name: 'without_strategy' })
  const names = async (environment: string) =>
    (await served(environment)).body.features.map(({ name, enabled }: { name: string; enabled: boolean }) => [name, enabled])
  expect(await names('production')).toEqual([
    ['everywhere', true],
    ['in_production', true],
  ])
  expect(await names('review/7')).toEqual([
    ['everywhere', true],
    ['in_reviews', true],
  ])
  await client.put(`${at}/everywhere`, { active: false })
  expect(await names('')).toEqual([['everywhere', false]])
  await client.delete(`${at}/everywhere`)
  expect(await names('')).toEqual([])
})

test('a program that has the flags of its environment gets 304 until one of them changes, for one statement at most', async () => {
  const at = await fresh()
  const client = forge.as(developer)
  const scopes = [{ environment_scope: 'production' }]
  for (const name of ['first', 'second']) await client.post(at, { name, strategies: [{ name: 'default', scopes }] })
  const lists = `/projects/${project.id}/feature_flags_user_lists`
  const { body: list } = await client.post(lists, { name: 'Testers', user_xids: 'ada' })
  const instance_id = await instanceIdOf(forge.app, project.id)
  const headers = { 'unleash-instanceid': instance_id, 'unleash-appname': 'production' }
  let etag = 'W/"none"'
  const poll = (environment = 'production') => {
    const having = { headers: { ...headers, 'unleash-appname': environment, 'if-none-match': etag } }
    return forge.anonymous.get(`/feature_flags/unleash/${project.id}/client/features`, having)
  }
  const changes = [
    () => client.put(`${at}/first`, { active: false }),
    () => client.put(`${at}/second`, { strategies: [{ name: 'gitlabUserList', user_list_id: list.id, scopes }] }),
    () => client.put(`${lists}/${list.iid}`, { user_xids: 'ada,bob' }),
    () => client.post(at, { name: 'third', strategies: [{ name: 'default', scopes }] }),
    () => client.delete(`${at}/first`),
  ]
  for (const change of [() => null, ...changes]) {
    await change()
    const changed = await poll()
    expect([changed.status, changed.headers.etag === etag, changed.body.version]).toEqual([200, false, 1])
    etag = changed.headers.etag as string
    const again = await forge.cost(poll)
    expect(again.statements).toBeLessThanOrEqual(1)
    expect((await poll()).status).toBe(304)
  }
  // The client sends the entity tag for `production`, which must not give 304 for another environment.
  expect((await poll('staging')).status).toBe(200)
  await resetInstanceId(forge.app, project.id)
  expect((await poll()).status).toBe(403)
})

test('programs read the flags of their project alone, by its instance id alone', async () => {
  const at = await fresh()
  await forge.as(developer).post(at, { name: 'everywhere', strategies: [{ name: 'default' }] })
  const own = await instanceIdOf(forge.app, project.id)
  const unleash = `/feature_flags/unleash/${project.id}`
  expect((await forge.anonymous.get(`${unleash}/features?instance_id=${own}&app_name=production`)).body.features).toHaveLength(1)
  for (const path of ['client/register', 'client/metrics']) {
    const sent = await forge.anonymous.post(`${unleash}/${path}?instance_id=${own}`, { appName: 'production', bucket: {} })
    expect([path, sent.status]).toEqual([path, 200])
    expect((await forge.anonymous.post(`${unleash}/${path}`, { appName: 'production' })).status).toBe(403)
  }
  expect((await forge.anonymous.get(`${unleash}/client/features`)).status).toBe(403)
  expect((await forge.as(developer).get(`${unleash}/client/features`)).status).toBe(403)
  const other = await forge.project({ developer, files: null })
  expect((await served('production', { 'unleash-instanceid': await instanceIdOf(forge.app, other.id) })).status).toBe(403)
  for (const id of ['x', '0', '-1', `${project.id}.0x`])
    expect((await forge.anonymous.get(`/feature_flags/unleash/${id}/client/features?instance_id=${own}`)).status).toBe(403)

  await resetInstanceId(forge.app, project.id)
  expect((await served('production', { 'unleash-instanceid': own })).status).toBe(403)
  expect((await served('production')).status).toBe(200)
  await forge.as(forge.root).put(`/projects/${project.id}`, { builds_access_level: 'disabled' })
  expect((await served('production')).status).toBe(403)
})

test('ten who ask for the instance id at once get the same', async () => {
  await fresh()
  const ids = await Promise.all(Array.from({ length: 10 }, () => instanceIdOf(forge.app, project.id)))
  expect(new Set(ids).size).toBe(1)
})

test('flags are for developers, and an archived project keeps what it has', async () => {
  const at = await fresh()
  const [reporter, stranger] = [await forge.user(), await forge.user()]
  await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id: reporter.id, access_level: 20 })
  await forge.as(developer).post(at, { name: 'kept' })
  expect([(await forge.as(reporter).get(at)).status, (await forge.as(stranger).get(at)).status]).toEqual([403, 404])
  await forge.as(forge.root).post(`/projects/${project.id}/archive`)
  expect((await forge.as(developer).put(`${at}/kept`, { active: false })).status).toBe(403)
  expect((await forge.as(developer).get(`${at}/kept`)).body.active).toBe(true)
})

test('however many flags there are, programs and lists ask the database as often', async () => {
  const at = await fresh()
  const client = forge.as(developer)
  const add = (name: string) => client.post(at, { name, strategies: [{ name: 'default' }, { name: 'default' }] })
  await add('one')
  const few = await forge.cost(() => client.get(at))
  for (let index = 0; index < 8; index += 1) await add(`more_${index}`)
  const many = await forge.cost(() => client.get(at))
  expect(many.statements).toBe(few.statements)
})
