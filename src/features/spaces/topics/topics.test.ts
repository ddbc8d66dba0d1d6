/** Topics: of projects, under both of their names, and as administrators keep them. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let owner: TestUser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
})

let counter = 0
const fresh = () => `topic-${++counter}`
const make = async (topics: unknown, visibility = 'private') =>
  (await forge.as(owner).post('/projects', { name: `Project ${++counter}`, visibility, topics })).body
const paths = async (query: string, user = owner) =>
  (await forge.as(user).get(`/projects?order_by=id&sort=asc&${query}`)).body.map(({ id }: { id: number }) => id)
const listed = async (search: string, client = forge.anonymous, more = '') => (await client.get(`/topics?search=${search}${more}`)).body
const topicOf = async (name: string) => (await listed(name, forge.as(forge.root)))[0]

describe('the topics of a project', () => {
  test('are written and read under both names, and stay as they were written', async () => {
    const project = await make('Web, cli,,web')
    expect([project.topics, project.tag_list]).toEqual([
      ['Web', 'cli'],
      ['Web', 'cli'],
    ])
    const put = async (sent: object) => (await forge.as(owner).put(`/projects/${project.id}`, sent)).body
    expect((await put({ tag_list: ['WEB'] })).topics).toEqual(['WEB'])
    expect((await put({ topics: ['b', 'a'], tag_list: ['c'] })).tag_list).toEqual(['a', 'b'])
    expect((await put({ description: 'x' })).topics).toEqual(['a', 'b'])
    expect((await put({ topics: [] })).tag_list).toEqual([])
    expect((await put({ topics: ['a'] })).topics).toEqual(['a'])
    expect((await put({ topics: null })).topics).toEqual([])
  })

  test('filter lists, whatever their case; several must all be there', async () => {
    const [one, two] = [fresh(), fresh()]
    const [both, only] = [await make([one, two]), await make([one.toUpperCase()])]
    expect(await paths(`topic=${one}`)).toEqual([both.id, only.id])
    expect(await paths(`topic=${one},${two.toUpperCase()}`)).toEqual([both.id])
    expect(await paths(`topic=${one}&topic_id=${(await topicOf(two)).id}`)).toEqual([both.id])
    expect(await paths(`topic=${fresh()}`)).toEqual([])
    expect(await paths('topic_id=999999999')).toEqual([])
    expect(await paths(`topic=${one}`, await forge.user())).toEqual([])
  })

  test('are refused where they are too long or have control characters', async () => {
    const answer = async (topics: unknown) => (await forge.as(owner).post('/projects', { name: `Project ${++counter}`, topics })).body
    expect(await answer(['x'.repeat(256)])).toEqual({ message: { topics: ['is too long (maximum is 255 characters)'] } })
    for (const name of ['a\u0007b', 'a\nb', 'a\u009fb'])
      expect([name, await answer([name])]).toEqual([name, { message: { topics: ['cannot contain control characters'] } }])
    expect(await answer(['a\u0000b'])).toHaveProperty('error')
    expect(await answer(Array(101).fill('x'))).toHaveProperty('error')
    expect((await forge.as(owner).get('/projects?topic_id=x')).body).toEqual({ error: 'topic_id is invalid' })
  })
})

describe('a topic', () => {
  test('is shown with the number of projects that the caller can see, those of most projects first', async () => {
    const [many, few] = [`seen-${fresh()}`, `seen-${fresh()}`]
    await make([many], 'public')
    await make([many, few], 'public')
    await make([many, few])
    const counts = async (client: Forge['anonymous']) =>
      (await listed('seen-', client)).map(({ name, total_projects_count }: Record<string, unknown>) => [name, total_projects_count])
    expect(await counts(forge.anonymous)).toEqual([
      [many, 2],
      [few, 1],
    ])
    expect(await counts(forge.as(owner))).toEqual([
      [many, 3],
      [few, 2],
    ])
    const shape = {
      id: expect.any(Number),
      name: few,
      title: few,
      description: null,
      total_projects_count: 1,
      organization_id: 1,
      avatar_url: null,
    }
    const [, found] = await listed('seen-')
    expect(found).toEqual(shape)
    expect((await forge.anonymous.get(`/topics/${found.id}`)).body).toEqual(shape)
  })

  test('of hidden projects only is hidden, and not counted', async () => {
    const name = fresh()
    await make([name])
    const { id } = await topicOf(name)
    expect(await listed(name)).toEqual([])
    const hidden = await forge.as(await forge.user()).get(`/topics/${id}`)
    expect([hidden.status, hidden.body]).toEqual([404, { message: '404 Topic Not Found' }])
    expect((await forge.as(owner).get(`/topics/${id}`)).body.total_projects_count).toBe(1)
  })

  test('is created, changed, merged and deleted by administrators, and its projects follow', async () => {
    const root = forge.as(forge.root)
    const [name, other] = [fresh(), fresh()]
    const created = await root.post('/topics', { name, title: 'A Topic', description: 'Text' })
    expect([created.status, created.body]).toMatchObject([201, { name, title: 'A Topic', description: 'Text', total_projects_count: 0 }])
    expect(await listed(name)).toHaveLength(1)
    expect(await listed(name, forge.anonymous, '&without_projects=true')).toHaveLength(1)
    const project = await make([name.toUpperCase(), other])
    expect(await listed(name, forge.as(owner), '&without_projects=true')).toEqual([])
    const renamed = `new-${name}`
    const changed = await root.put(`/topics/${created.body.id}`, { name: renamed, description: null })
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { name: renamed, title: 'A Topic', description: null, total_projects_count: 1 },
    ])
    const topics = async () => (await forge.as(owner).get(`/projects/${project.id}`)).body.topics
    expect(await topics()).toEqual([renamed, other].sort())
    const merged = await root.post('/topics/merge', { source_topic_id: created.body.id, target_topic_id: (await topicOf(other)).id })
    expect([merged.status, merged.body]).toMatchObject([201, { name: other, total_projects_count: 1 }])
    expect(await topics()).toEqual([other])
    expect((await root.get(`/topics/${created.body.id}`)).status).toBe(404)
    const removed = await root.delete(`/topics/${merged.body.id}`)
    expect([removed.status, removed.text, await topics()]).toEqual([204, '', []])
  })

  test('is refused with the reason where it cannot be', async () => {
    const root = forge.as(forge.root)
    const [one, other] = [await root.post('/topics', { name: fresh() }), await root.post('/topics', { name: fresh() })]
    for (const [sent, body] of [
      [{ name: one.body.name.toUpperCase() }, { message: { name: ['has already been taken'] } }],
      [{ name: ' ' }, { message: { name: ["can't be blank"] } }],
      [{ name: 'a,b' }, { message: { name: ['cannot contain commas'] } }],
      [{ name: 'a\u0007' }, { message: { name: ['cannot contain control characters'] } }],
      [{ name: 'x'.repeat(256) }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
      [{ name: fresh(), description: 'x'.repeat(2_001) }, { message: { description: ['is too long (maximum is 2000 characters)'] } }],
    ] as const) {
      const answers = [await root.post('/topics', sent), await root.put(`/topics/${other.body.id}`, sent)]
      for (const answer of answers) expect([sent, answer.status, answer.body]).toEqual([sent, 400, body])
    }
    const same = await root.post('/topics/merge', { source_topic_id: one.body.id, target_topic_id: one.body.id })
    expect([same.status, same.body]).toEqual([400, { message: 'The source topic and the target topic are identical.' }])
    expect((await root.post('/topics/merge', { source_topic_id: one.body.id, target_topic_id: 999_999_999 })).status).toBe(404)
    expect((await root.post('/topics', {})).body).toEqual({ error: 'name is missing' })
    expect((await root.get('/topics/x')).body).toEqual({ error: 'id is invalid' })
    expect((await forge.as(owner).post('/topics', { name: fresh() })).status).toBe(403)
    expect((await forge.as(owner).delete(`/topics/${one.body.id}`)).status).toBe(403)
  })

  test('ten projects at once with the same new topics share them', async () => {
    const names = [fresh(), fresh(), fresh()]
    const made = await Promise.all(Array.from({ length: 10 }, (_, index) => make(index % 2 ? names : [...names].reverse())))
    expect(made.map(({ topics }) => topics)).toEqual(Array(10).fill([...names].sort()))
    expect((await topicOf(names[0] as string)).total_projects_count).toBe(10)
  })
})
