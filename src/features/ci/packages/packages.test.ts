import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { jobOf } from '../../../../test/support/fixtures/jobs.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let developer: TestUser
let reporter: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  developer = await forge.user()
  reporter = await forge.user()
  project = await forge.project({ developer, reporter })
})

const at = (name: string, version: string, file: string, query = '') =>
  `/api/v4/projects/${project.id}/packages/generic/${name}/${version}/${file}${query}`

async function put(url: string, payload: Buffer | string, headers: Record<string, string> = { 'private-token': developer.token }) {
  const answer = await forge.server.inject({ method: 'PUT', url, headers, payload: Buffer.from(payload) })
  return { status: answer.statusCode, body: answer.json() }
}

const get = async (url: string, user = reporter) => {
  const answer = await forge.server.inject({ method: 'GET', url, headers: { 'private-token': user.token } })
  return { status: answer.statusCode, bytes: answer.rawPayload }
}

test('a file goes up whatever its type, is listed and comes down; a second of its name is served instead', async () => {
  const bytes = Buffer.from('{"not": "read as JSON"}')
  const json = { 'private-token': developer.token, 'content-type': 'application/json' }
  expect(await put(at('tool', '1.0.0', 'tool.json'), bytes, json)).toEqual({ status: 201, body: { message: '201 Created' } })
  expect((await get(at('tool', '1.0.0', 'tool.json'))).bytes.equals(bytes)).toBe(true)
  const second = await put(at('tool', '1.0.0', 'tool.json', '?select=package_file'), 'two', { 'private-token': developer.token })
  expect(second.body).toMatchObject({ file_name: 'tool.json', size: 3, file_sha256: createHash('sha256').update('two').digest('hex') })
  expect((await get(at('tool', '1.0.0', 'tool.json'))).bytes.toString()).toBe('two')

  const list = await forge.as(reporter).get(`/projects/${project.id}/packages?package_name=too`)
  expect(list.body).toMatchObject([{ name: 'tool', version: '1.0.0', package_type: 'generic', status: 'default' }])
  const files = await forge.as(reporter).get(`/projects/${project.id}/packages/${list.body[0].id}/package_files`)
  expect(files.body.map(({ size }: { size: number }) => size)).toEqual([bytes.length, 3])
})

test('a group lists the packages of its projects and of those below, as far as the viewer may read their code', async () => {
  const group = await forge.group({ visibility: 'public', developer })
  const below = await forge.group({ parent: group, visibility: 'public' })
  const [own, deep, hidden] = [
    await forge.project({ group, developer, visibility: 'public' }),
    await forge.project({ group: below, developer, visibility: 'public' }),
    await forge.project({ group, developer }),
  ]
  for (const [at, name] of [
    [own, 'a_b'],
    [deep, 'deep'],
    [hidden, 'hidden'],
  ] as const)
    expect((await put(`/api/v4/projects/${at.id}/packages/generic/${name}/1/f`, 'x')).status).toBe(201)
  const seen = async (client = forge.anonymous, query = '') =>
    (await client.get(`/groups/${group.id}/packages?order_by=name${query}`)).body.map((row: { name: string }) => row.name)

  expect(await seen()).toEqual(['a_b', 'deep'])
  expect(await seen(forge.as(developer))).toEqual(['a_b', 'deep', 'hidden'])
  expect(await seen(forge.as(developer), '&exclude_subgroups=true')).toEqual(['a_b', 'hidden'])
  expect(await seen(forge.anonymous, '&package_name=a_')).toEqual(['a_b'])
  const [first] = (await forge.anonymous.get(`/groups/${group.id}/packages?order_by=name`)).body
  expect(first).toMatchObject({ project_id: own.id, project_path: own.full_path, package_type: 'generic' })
})

test('a job uploads with its token; reporters, wrong tokens and other projects do not', async () => {
  const job = await jobOf(forge, project, developer)
  const other = await jobOf(forge, await forge.project({ developer }), developer)
  const with_ = (token: string) => put(at('by-job', '1', 'a.txt'), 'a', { 'job-token': token })
  expect([(await with_(job.token)).status, (await with_(other.token)).status, (await with_('gstjt-wrong')).status]).toEqual([201, 404, 401])
  expect((await put(at('by-job', '1', 'b.txt'), 'a', { 'private-token': reporter.token })).status).toBe(403)
  expect((await put(at('by-job', '1', 'b.txt'), 'a', {})).status).toBe(401)
  expect((await get(at('by-job', '1', 'b.txt'))).status).toBe(404)
})

test('names that are none are refused, and nothing is stored', async () => {
  for (const [name, version, file] of [
    ['a%2Fb', '1', 'c'],
    ['a', '..', 'c'],
    ['a', '1', '%2e%2e%2fc'],
    ['a', '1 2', 'c'],
    ['a', '1', 'c%00'],
    ['a', '1', 'x'.repeat(300)],
  ] as const)
    expect([name, version, file, (await put(at(name, version, file), 'x')).status]).toEqual([
      name,
      version,
      file,
      expect.toBeOneOf([400, 404]),
    ])
  const { body } = await forge.as(reporter).get(`/projects/${project.id}/packages?package_name=a&order_by=name`)
  expect(body.filter(({ name }: { name: string }) => name === 'a')).toEqual([])
})

test('maintainers delete files and packages, and their objects go', async () => {
  await put(at('gone', '1', 'a'), 'a')
  await put(at('gone', '1', 'b'), 'b')
  const root = forge.as(forge.root)
  const [{ id }] = (await root.get(`/projects/${project.id}/packages?package_name=gone`)).body
  const files = (await root.get(`/projects/${project.id}/packages/${id}/package_files`)).body
  expect((await forge.as(developer).delete(`/projects/${project.id}/packages/${id}`)).status).toBe(403)
  expect((await root.delete(`/projects/${project.id}/packages/${id}/package_files/${files[0].id}`)).status).toBe(204)
  expect((await root.delete(`/projects/${project.id}/packages/${id}/package_files/${files[0].id}`)).status).toBe(404)
  const before = await forge.app.db.selectFrom('unreferenced_objects').select('key').where('key', 'like', 'packages/%').execute()
  expect((await root.delete(`/projects/${project.id}/packages/${id}`)).status).toBe(204)
  const after = await forge.app.db.selectFrom('unreferenced_objects').select('key').where('key', 'like', 'packages/%').execute()
  expect([after.length - before.length, (await get(at('gone', '1', 'b'))).status]).toEqual([1, 404])
})
