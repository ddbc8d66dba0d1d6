/** CI servers elsewhere: a push starts a build, whose status and page stand at the commit until it has ended. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { atEndOfFile } from '../../../../test/support/run/cleanup.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { kindOf } from '../kinds/kinds.ts'

let forge: Forge
let maintainer: TestUser
let project: TestProject
let url: string
const asked: string[] = []
let answer: { status: number; body: unknown } = { status: 404, body: {} }
/** A build is started by `GET`, too. */
const isQuestion = ({ method, url = '' }: IncomingMessage) => method === 'GET' && !url.startsWith('/updateAndBuild')
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`)
  request.resume().on('end', () => response.writeHead(isQuestion(request) ? answer.status : 200).end(JSON.stringify(answer.body)))
})

beforeAll(async () => {
  forge = await testForge()
  maintainer = await forge.user()
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEndOfFile(() => new Promise<void>((resolve) => server.close(() => resolve())))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

beforeEach(async () => {
  project = await forge.project({ maintainer })
  await forge.drain()
  asked.length = 0
})

const client = () => forge.as(maintainer)
const set = (slug: string, settings: object) => client().put(`/projects/${project.id}/services/${slug}`, settings)
const push = async (): Promise<string> =>
  (
    await client().post(`/projects/${project.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Add it',
      actions: [{ action: 'create', file_path: crypto.randomUUID(), content: '1' }],
    })
  ).body.id

/** As if the next question were due. */
async function ask(): Promise<void> {
  await forge.drain()
  await forge.app.db.updateTable('jobs').set({ run_at: '2000-01-01T00:00:00.000Z' }).where('name', '=', 'services.ask_build').execute()
  await forge.drain()
}
const statuses = async (sha: string) => (await client().get(`/projects/${project.id}/repository/commits/${sha}/statuses`)).body
const waiting = async () =>
  (await forge.app.db.selectFrom('jobs').select('id').where('name', '=', 'services.ask_build').where('state', '=', 'ready').execute())
    .length

const servers = [
  {
    slug: 'teamcity',
    settings: () => ({ teamcity_url: url.replace('//', '//me:hush@'), build_type: 'b', username: 'u', password: 'p' }),
    question: (sha: string) => `GET /httpAuth/app/rest/builds/branch:unspecified:any,number:${sha}`,
    page: () => `${url}/viewLog.html?buildTypeId=b`,
    running: { id: 7, state: 'running', status: 'SUCCESS' },
    ended: {
      body: { id: 7, state: 'finished', status: 'FAILURE' },
      status: 'failed',
      page: () => `${url}/viewLog.html?buildId=7&buildTypeId=b`,
    },
  },
  {
    slug: 'bamboo',
    settings: () => ({ bamboo_url: url, build_key: 'KEY', username: 'u', password: 'p' }),
    question: (sha: string) => `GET /rest/api/latest/result/byChangeset/${sha}?os_authType=basic`,
    page: () => `${url}/browse/KEY`,
    running: { results: { size: 0 } },
    ended: {
      body: { results: { size: 1, result: [{ buildState: 'Successful', planResultKey: { key: 'KEY-9' } }] } },
      status: 'success',
      page: () => `${url}/browse/KEY-9`,
    },
  },
  {
    slug: 'drone-ci',
    settings: () => ({ drone_url: url, token: 'hush' }),
    question: (sha: string) => `GET /gitlab/${project.full_path}/commits/${sha}?branch=main&access_token=hush`,
    page: (sha: string) => `${url}/gitlab/${project.full_path}/redirect/commits/${sha}?branch=main`,
    running: { status: 'running' },
    ended: { body: { status: 'killed' }, status: 'canceled', page: null },
  },
  {
    slug: 'mock-ci',
    settings: () => ({ mock_service_url: url }),
    question: (sha: string) => `GET /${project.full_path}/status/${sha}.json`,
    page: (sha: string) => `${url}/${project.full_path}/status/${sha}`,
    running: { status: 'running' },
    ended: { body: { status: 'success' }, status: 'success', page: null },
  },
]

test.each(servers)('the build of $slug is asked for until it has ended', async ({ slug, settings, question, page, running, ended }) => {
  expect((await set(slug, settings())).status).toBe(200)
  answer = { status: 404, body: {} }
  const sha = await push()
  await ask()
  expect(asked).toContain(question(sha))
  const first = await statuses(sha)
  // That it is not known there yet says nothing for a server that answers by status alone.
  if (slug !== 'drone-ci')
    expect(first).toMatchObject([{ name: slug, status: 'pending', target_url: page(sha), author: { id: maintainer.id } }])
  answer = { status: 200, body: running }
  await ask()
  answer = { status: 200, body: ended.body }
  await ask()
  expect(await statuses(sha)).toMatchObject([{ name: slug, status: ended.status, target_url: (ended.page ?? (() => page(sha)))() }])
  expect(JSON.stringify(await statuses(sha))).not.toContain('hush')
  expect(await waiting()).toBe(0)
})

test('Buildkite is asked by the second part of its token', () => {
  const build = kindOf('buildkite')?.build
  const settings = { token: 'hook:st/atus', project_url: 'https://buildkite.com/a/b/' }
  const commit = { sha: 'c'.repeat(40), ref: 'main', path: 'water/pump' }
  expect(build?.ask(settings, commit).url).toBe(`https://gitlab.buildkite.com/status/st%2Fatus.json?commit=${commit.sha}`)
  expect(build?.page(settings, commit)).toBe(`https://buildkite.com/a/b/builds?commit=${commit.sha}`)
  expect(build?.read({ status: 200, body: '{"status":"success"}' }, settings)).toEqual({ status: 'success' })
})

test.each(['mock-ci', 'teamcity', 'bamboo', 'drone-ci', 'buildkite'])('an odd answer of %s says nothing', (slug) => {
  const read = kindOf(slug)?.build?.read
  for (const body of ['', '[]', 'null', '"x"', '{"status":7}', '{"results":{"result":[]}}', '<a>'])
    expect(read?.({ status: 200, body }, {})).toBeNull()
  expect(read?.({ status: 500, body: '{"status":"success"}' }, {})).toBeNull()
})

test('an unknown status shows nothing, an integration that is removed is asked no more, and a branch that is deleted is no build', async () => {
  await set('mock-ci', { mock_service_url: url })
  answer = { status: 200, body: { status: '<b>odd</b>' } }
  const sha = await push()
  await ask()
  expect([await statuses(sha), await waiting()]).toEqual([[], 1])
  await client().delete(`/projects/${project.id}/services/mock-ci`)
  await ask()
  expect(await waiting()).toBe(0)
  await set('mock-ci', { mock_service_url: url })
  await client().post(`/projects/${project.id}/repository/branches`, { branch: 'topic', ref: 'main' })
  await ask()
  const before = asked.length
  await client().delete(`/projects/${project.id}/repository/branches/topic`)
  await client().post(`/projects/${project.id}/repository/tags`, { tag_name: 'v1', ref: 'main' })
  await forge.drain()
  expect(asked.length).toBe(before)
})
