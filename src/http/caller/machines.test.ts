/** Runners and registrars are callers like any other: made at one place, and nothing beyond what their token is for. */
import { beforeAll, expect, test } from 'vitest'
import { runnerOf, type TestRunner, tokenOf } from '../../../test/support/fixtures/runners.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../test/support/forge.ts'
import { tryGit } from '../../../test/support/git.ts'
import { now } from '../../db/instants.ts'
import { endpoints } from '../../features/index.ts'
import { isByToken } from './machines.ts'

let forge: Forge
let user: TestUser
let project: TestProject
let runner: TestRunner

beforeAll(async () => {
  forge = await testForge()
  user = await forge.user()
  project = await forge.project({ maintainer: user })
  runner = await runnerOf(forge, project)
})

const ofMachines = endpoints.filter(({ access }) => isByToken(access.own_credential))
const needed = { system_id: 's_1' }
const send = (method: string, path: string, body: Record<string, unknown>) =>
  forge.anonymous.request(method as 'POST', path, { ...needed, ...body })

test('the token of a runner, and one that registers runners, are each for their own endpoints', async () => {
  expect(ofMachines.map(({ path, access }) => [path, access.own_credential]).sort()).toEqual([
    ['/jobs/request', 'runner'],
    ['/runners', 'registrar'],
    ['/runners', 'runner'],
    ['/runners/managers', 'runner'],
    ['/runners/reset_authentication_token', 'runner'],
    ['/runners/verify', 'runner'],
  ])
  for (const { method, path, access } of ofMachines) {
    const other = access.own_credential === 'runner' ? tokenOf(forge, project) : runner.token
    for (const token of [other, user.token, '', 'x'])
      expect([path, token, (await send(method, path, { token })).status]).toEqual([path, token, 403])
    const [missing, malformed] = [await send(method, path, {}), await send(method, path, { token: ['x'] })]
    expect([path, missing.status, missing.body]).toEqual([path, 400, { error: 'token is missing' }])
    expect([path, malformed.status, malformed.body]).toEqual([path, 400, { error: 'token is invalid' }])
  }
})

test('the token counts before anything else of the body is read, also in the query, and in a body of unknown size', async () => {
  const { token } = runner
  const malformed = { system_id: 's'.repeat(300) }
  expect((await forge.anonymous.post('/runners/verify', { ...malformed, token: 'x' })).status).toBe(403)
  expect((await forge.anonymous.post('/runners/verify', { ...malformed, token })).status).toBe(400)
  expect((await forge.anonymous.post(`/runners/verify?token=${token}`)).status).toBe(200)
  const chunked = await fetch(`${await forge.url()}/api/v4/runners/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(JSON.stringify({ token })))
        controller.close()
      },
    }),
    duplex: 'half',
  } as RequestInit)
  expect(chunked.status).toBe(200)
})

test('beside the token of a user that of a runner is as good; that of the user must be right', async () => {
  const verify = (headers: Record<string, string>) => forge.anonymous.post('/runners/verify', { token: runner.token }, { headers })
  expect([await verify({ 'private-token': user.token }), await verify({ 'private-token': 'x' })].map(({ status }) => status)).toEqual([
    200, 401,
  ])
  const alone = await forge.as(user).post('/runners/verify', { token: 'x' })
  expect(alone.status).toBe(403)
})

test('tokens of machines are refused everywhere else: by the API in every place for a token, and by git', async () => {
  const login = { 'private-token': '/user', 'job-token': `/projects/${project.id}/releases`, authorization: '/user' }
  for (const token of [runner.token, tokenOf(forge, project)]) {
    for (const [header, path] of Object.entries(login)) {
      const value = header === 'authorization' ? `Bearer ${token}` : token
      expect([header, (await forge.anonymous.get(path, { headers: { [header]: value } })).status]).toEqual([header, 401])
    }
    const url = (await forge.url()).replace('//', `//gitlab-ci-token:${token}@`)
    expect((await tryGit(await forge.folder(), 'ls-remote', `${url}/${project.full_path}.git`)).code).not.toBe(0)
  }
})

test('a token that was replaced, has expired, or whose runner is gone is refused', async () => {
  const [replaced, expired, gone] = [await runnerOf(forge, project), await runnerOf(forge, project), await runnerOf(forge, project)]
  await forge.as(forge.root).post(`/runners/${replaced.id}/reset_authentication_token`)
  await forge.app.db.updateTable('ci_runners').set({ token_expires_at: now() }).where('id', '=', expired.id).execute()
  await forge.as(forge.root).delete(`/runners/${gone.id}`)
  for (const { token } of [replaced, expired, gone]) expect((await forge.anonymous.post('/jobs/request', { token })).status).toBe(403)
})
