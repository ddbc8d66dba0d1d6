/** The allow-lists of job tokens: who changes them, what they show, and what they let through. */
import { beforeAll, expect, test } from 'vitest'
import { jobOf } from '../../../../test/support/fixtures/jobs.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let maintainer: TestUser
let project: TestProject
let at: string

beforeAll(async () => {
  forge = await testForge()
  maintainer = await forge.user()
  project = await forge.project({ maintainer })
  at = `/projects/${project.id}/job_token_scope`
})

const client = () => forge.as(maintainer)

test('a project lets in the job tokens of projects and groups on its lists, and with the limit off those of all', async () => {
  const group = await forge.group({ maintainer })
  const [listed, inGroup, other] = [
    await forge.project({ maintainer }),
    await forge.project({ group }),
    await forge.project({ maintainer }),
  ]
  const sees = async (of: TestProject) => {
    const job = await jobOf(forge, of, maintainer)
    return (await forge.anonymous.get(`/projects/${project.id}/releases`, { headers: { 'job-token': job.token } })).status
  }
  const all = async () => [await sees(listed), await sees(inGroup), await sees(other)]

  expect((await client().get(at)).body).toEqual({ inbound_enabled: true, outbound_enabled: false })
  expect(await all()).toEqual([404, 404, 404])
  const added = await client().post(`${at}/allowlist`, { target_project_id: listed.id })
  expect([added.status, added.body]).toEqual([201, { source_project_id: project.id, target_project_id: listed.id }])
  const addedGroup = await client().post(`${at}/groups_allowlist`, { target_group_id: group.id })
  expect([addedGroup.status, addedGroup.body]).toEqual([201, { source_project_id: project.id, target_group_id: group.id }])
  expect(await all()).toEqual([200, 200, 404])
  expect((await client().get(`${at}/allowlist`)).body).toMatchObject([{ id: listed.id, path_with_namespace: listed.full_path }])
  expect((await client().get(`${at}/groups_allowlist`)).body).toMatchObject([{ id: group.id }])

  expect((await client().delete(`${at}/allowlist/${listed.id}`)).status).toBe(204)
  expect((await client().delete(`${at}/groups_allowlist/${group.id}`)).status).toBe(204)
  expect(await all()).toEqual([404, 404, 404])
  expect((await client().delete(`${at}/allowlist/${listed.id}`)).status).toBe(404)
  expect((await client().delete(`${at}/groups_allowlist/${group.id}`)).status).toBe(404)

  expect((await client().patch(at, { enabled: false })).status).toBe(204)
  expect((await client().get(at)).body.inbound_enabled).toBe(false)
  expect(await all()).toEqual([200, 200, 200])
  await client().patch(at, { enabled: true })
})

test('only visible projects are added and shown, each once, and never the project itself', async () => {
  const [hidden, hiddenGroup] = [await forge.project(), await forge.group()]
  expect((await client().post(`${at}/allowlist`, { target_project_id: hidden.id })).status).toBe(404)
  expect((await client().post(`${at}/groups_allowlist`, { target_group_id: hiddenGroup.id })).status).toBe(404)
  await forge.as(forge.root).post(`${at}/allowlist`, { target_project_id: hidden.id })
  await forge.as(forge.root).post(`${at}/groups_allowlist`, { target_group_id: hiddenGroup.id })
  const lists = async (user: TestUser) => [
    (await forge.as(user).get(`${at}/allowlist`)).body.length,
    (await forge.as(user).get(`${at}/groups_allowlist`)).body.length,
  ]
  expect([await lists(maintainer), await lists(forge.root)]).toEqual([
    [0, 0],
    [1, 1],
  ])
  const twice = await forge.as(forge.root).post(`${at}/allowlist`, { target_project_id: hidden.id })
  const itself = await client().post(`${at}/allowlist`, { target_project_id: project.id })
  expect([twice.status, twice.body, itself.status]).toEqual([
    400,
    { message: { target_project: ['is already in the job token scope'] } },
    400,
  ])
})

test('a list costs the same for one project as for three', async () => {
  const own = await forge.project({ maintainer })
  const list = `/projects/${own.id}/job_token_scope/allowlist`
  const add = async () => client().post(list, { target_project_id: (await forge.project({ maintainer })).id })
  const cost = () => forge.cost(async () => void expect((await client().get(list)).status).toBe(200))
  await add()
  await cost()
  const one = await cost()
  await add()
  await add()
  await cost()
  expect(await cost()).toEqual(one)
})
