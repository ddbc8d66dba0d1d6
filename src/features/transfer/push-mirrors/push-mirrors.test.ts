/** Push mirrors: what reaches the other repository, what never does, and what is told of it. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, seed } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { claimRun } from '../mirrors/runs.queries.ts'

cpuBudget(8, 'Pushes to mirrors by git.')

/** The other server of these tests is the same: on this machine, so that an administrator has to allow it. */
async function openToItself(): Promise<Forge> {
  const forge = await testForge()
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  return forge
}

const servers: Server[] = []
afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))))

async function serverThat(answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(answer as never)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Pair {
  forge: Forge
  user: TestUser
  source: TestProject
  target: TestProject
  /** `/projects/:id/remote_mirrors` of the source. */
  at: string
  id: number
}

/** A project and an empty one that mirrors it, by a token of their maintainer. */
async function pair(settings: Record<string, unknown> = {}): Promise<Pair> {
  const forge = await openToItself()
  const user = await forge.user()
  const source = await forge.project({ maintainer: user })
  const target = await forge.project({ maintainer: user, files: null })
  const at = `/projects/${source.id}/remote_mirrors`
  const { body, status } = await forge.as(user).post(at, { url: await forge.remote(target, user), enabled: true, ...settings })
  expect(status).toBe(201)
  return { forge, user, source, target, at, id: body.id }
}

const refs = ({ dir }: TestProject) => git(dir, 'for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags')

async function push({ forge, user, source }: Pair, branch: string): Promise<void> {
  const first = { branch, start_branch: 'main', content: branch, commit_message: 'Add' }
  const { status } = await forge.as(user).post(`/projects/${source.id}/repository/files/${branch}`, first)
  expect(status).toBe(201)
}

const stateOf = async ({ forge, user, at, id }: Pair) => (await forge.as(user).get(`${at}/${id}`)).body

test('all branches and tags reach the other repository at once, and each later push', async () => {
  const both = await pair()
  const { forge, source, target } = both
  await git(source.dir, 'tag', '-m', 'First', 'v1', 'main')
  await git(source.dir, 'update-ref', 'refs/merge-requests/1/head', 'main')
  await git(source.dir, 'update-ref', 'refs/keep-around/x', 'main')
  await forge.drain()
  expect(await refs(target)).toBe(await refs(source))
  expect(await git(target.dir, 'for-each-ref', 'refs/merge-requests', 'refs/keep-around')).toBe('')

  await push(both, 'topic')
  expect((await stateOf(both)).update_status).toMatch(/scheduled|started|finished/)
  await forge.drain()

  expect(await refs(target)).toBe(await refs(source))
  expect(await refs(target)).toContain('refs/heads/topic')
  const state = await stateOf(both)
  expect(state).toMatchObject({ update_status: 'finished', last_error: null, enabled: true })
  expect(state.last_successful_update_at).toBe(state.last_update_at)
  // The other is a project as any: its pushes are recorded.
  expect((await forge.as(both.user).get(`/projects/${target.id}/events`)).body.length).toBeGreaterThan(0)
})

test('what was deleted or moved by force here is there, and what only others made there stays', async () => {
  const both = await pair()
  const { forge, source, target, user } = both
  await push(both, 'topic')
  await forge.drain()
  await seed(target.dir, [{ branch: 'theirs', files: { theirs: 'x' } }])
  await git(source.dir, 'branch', '-f', 'forced', 'main')
  await git(source.dir, 'branch', '-D', 'topic')

  const answer = await forge.as(user).post(`${both.at}/${both.id}/sync`)
  await forge.drain()

  expect(answer.status).toBe(204)
  const there = await refs(target)
  expect(there).not.toContain('refs/heads/topic')
  expect(there).toContain('refs/heads/forced')
  expect(there).toContain('refs/heads/theirs')
  expect((await stateOf(both)).update_status).toBe('finished')
})

test(
  'diverged branches are overwritten, unless they are to be kept',
  inFullRun('2 s of processor. What was moved by force here is there, below.'),
  async () => {
    for (const keeps of [false, true]) {
      const both = await pair({ keep_divergent_refs: keeps })
      const { forge, source, target, user } = both
      await push(both, 'topic')
      await forge.drain()
      await seed(target.dir, [{ branch: 'topic', files: { theirs: 'x' } }])
      const theirs = await git(target.dir, 'rev-parse', 'topic')
      await forge.as(user).post(`${both.at}/${both.id}/sync`)
      await forge.drain()

      expect(await git(target.dir, 'rev-parse', 'topic')).toBe(keeps ? theirs : await git(source.dir, 'rev-parse', 'topic'))
      expect((await stateOf(both)).last_error).toBe(keeps ? 'Some refs have diverged and have not been updated: refs/heads/topic' : null)
    }
  },
)

test(
  'only protected branches, or those whose names match, are mirrored',
  inFullRun('Half a second of processor. All branches and tags reach the other repository, above.'),
  async () => {
    const safe = await pair({ only_protected_branches: true })
    await push(safe, 'topic')
    const some = await pair({ mirror_branch_regex: '^release/' })
    await git(some.source.dir, 'branch', 'release/1', 'main')
    await safe.forge.drain()

    // A project whose first commit was written to the disk, not pushed, has no protected branch yet.
    expect(await refs(safe.target)).not.toContain('topic')
    expect(await refs(some.target)).toMatch(/^\w+ refs\/heads\/release\/1$/)
    const both = await some.forge.as(some.user).put(`${some.at}/${some.id}`, { only_protected_branches: true, mirror_branch_regex: 'x' })
    expect(both.status).toBe(400)
    expect((await some.forge.as(some.user).put(`${some.at}/${some.id}`, { mirror_branch_regex: '(' })).status).toBe(400)
  },
)

test('credentials are used, sealed, and shown nowhere', async () => {
  const both = await pair()
  const { forge, user, at } = both
  await forge.drain()

  const shown = await forge.as(user).get(at)
  const rows = await forge.app.db.selectFrom('push_mirrors').selectAll().execute()
  const jobs = await forge.app.db.selectFrom('jobs').selectAll().execute()
  expect(shown.body[0].url).toMatch(/^http:\/\/\*{5}:\*{5}@127\.0\.0\.1:/)
  expect(JSON.stringify([shown.body, rows, jobs])).not.toContain(user.token)
})

test('why an update failed is told in our own words, and it is tried again later', async () => {
  const both = await pair()
  const { forge, user, at, id, target } = both
  const url = await forge.url()
  const secret = 'hush-hush-hush'
  const moved = await serverThat((request, reply) => void reply.writeHead(302, { location: `${url}${request.url}` }).end())
  const echo = await serverThat((request, reply) => void reply.writeHead(500).end(String(request.headers.authorization)))
  const path = `${target.full_path}.git`
  const cases: Array<[string, RegExp]> = [
    [`${url.replace('//', `//ada:${secret}@`)}/${path}`, /requires a username and a password, or rejects these/],
    [`${url.replace('//', `//${user.username}:${user.token}@`)}/nobody/nothing.git`, /There is no repository at this URL/],
    [`${moved.replace('//', `//ada:${secret}@`)}/${path}`, /redirections are not followed/],
    [`${echo.replace('//', `//ada:${secret}@`)}/${path}`, /does not speak as a git server does/],
    ['http://127.0.0.1:9/x.git', /blocked|reached/],
    ['http://no-such-host.invalid/x.git', /no-such-host.invalid could not be found/],
  ]
  for (const [address, reason] of cases) {
    const answer = await forge.as(user).put(`${at}/${id}`, { url: address })
    if (answer.status === 400) {
      expect(JSON.stringify(answer.body)).toMatch(reason)
      continue
    }
    await forge.drain()
    const state = await stateOf(both)
    expect([address, state.update_status]).toEqual([address, 'to_retry'])
    expect(state.last_error).toMatch(reason)
    expect(JSON.stringify(state)).not.toContain(secret)
  }
  const retry = await forge.app.db.selectFrom('jobs').select('run_at').where('unique_key', '=', `push mirror ${id}`).execute()
  expect(retry.length).toBe(1)
  expect(retry.every(({ run_at }) => run_at > new Date().toISOString())).toBe(true)
})

test(
  'nothing on the network of the server is mirrored to, when it is set up or when it is pushed',
  inFullRun('Half a second of processor. `ssrf-guard.test.ts` has every kind of address; `imports.test.ts` refuses one when its job runs.'),
  async () => {
    const both = await pair()
    const { forge, user, at, target } = both
    await forge.drain()
    const before = await refs(target)
    await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: false })
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '0177.1', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254']) {
      for (const scheme of ['http', 'ssh']) {
        const answer = await forge.as(user).post(at, { url: `${scheme}://${host}:3000/x.git`, enabled: true })
        expect([scheme, host, answer.status, JSON.stringify(answer.body)]).toEqual([
          scheme,
          host,
          400,
          expect.stringContaining('is blocked'),
        ])
      }
    }
    for (const url of [
      'file:///etc',
      'ext::sh -c x',
      '/tmp/x',
      'git@host:x.git',
      'git://host/x.git',
      'http://example.com:22222/a\nb',
      '-x',
    ]) {
      const answer = await forge.as(user).post(at, { url })
      expect([url, answer.status]).toEqual([url, 400])
    }
    await push(both, 'topic')
    await forge.drain()

    expect(await refs(target)).toBe(before)
    expect(await stateOf(both)).toMatchObject({ update_status: 'to_retry', last_error: 'Requests to the local network are not allowed' })
  },
)

test(
  'of one mirror there is one run at a time, and it is made up for afterwards',
  inFullRun('Half a second of processor. The queue runs one job of a lock at a time (`src/queue`).'),
  async () => {
    const both = await pair()
    const { forge, id, target } = both
    await forge.drain()
    const until = new Date(Date.now() + 60_000)
    const claims = await Promise.all(['a', 'b', 'c'].map((runner) => claimRun(forge.app.db, 'push_mirrors', id, runner, until)))
    expect(claims.filter((is) => is).length).toBe(1)

    await push(both, 'topic')
    await forge.drain()
    expect(await refs(target)).not.toContain('topic')

    // As if the process of the run had died: its claim ends, and the job that waits takes over.
    const past = new Date(0).toISOString()
    await forge.app.db.updateTable('push_mirrors').set({ running_until: past }).where('id', '=', id).execute()
    await forge.app.db.updateTable('jobs').set({ run_at: past }).where('name', '=', 'mirrors.push').execute()
    await forge.drain()
    expect(await refs(target)).toContain('topic')
  },
)

test('mirrors of archived projects and disabled ones rest, and those of deleted projects are gone', async () => {
  const both = await pair()
  const { forge, user, at, id, source, target } = both
  await forge.drain()
  const before = await refs(target)
  await push(both, 'topic')
  await forge.as(forge.root).post(`/projects/${source.id}/archive`)
  await forge.drain()
  expect(await refs(target)).toBe(before)
  expect((await forge.as(user).post(`${at}/${id}/sync`)).status).toBe(403)
  await forge.as(forge.root).post(`/projects/${source.id}/unarchive`)
  await forge.as(user).put(`${at}/${id}`, { enabled: false })
  expect((await forge.as(user).post(`${at}/${id}/sync`)).status).toBe(400)

  await forge.as(forge.root).delete(`/projects/${source.id}`)
  await forge.drain()
  expect(await forge.app.db.selectFrom('push_mirrors').selectAll().where('id', '=', id).execute()).toEqual([])
})

test('a mirror stops once its user is no maintainer any more, and goes on in the name of the next user who changes it', async () => {
  const both = await pair()
  const { forge, user, source, target, at, id } = both
  const next = await forge.user()
  await forge.as(forge.root).post(`/projects/${source.id}/members`, { user_id: next.id, access_level: 40 })
  await forge.drain()
  const before = await refs(target)
  await forge.as(forge.root).put(`/projects/${source.id}/members/${user.id}`, { access_level: 30 })
  await push(both, 'secret')
  await forge.drain()
  expect(await refs(target)).toBe(before)
  const { last_error } = (await forge.as(next).get(`${at}/${id}`)).body
  expect(last_error).toBe('Whoever set up the mirror is no maintainer of the project any more')

  await forge.as(next).put(`${at}/${id}`, { keep_divergent_refs: false })
  await forge.drain()
  expect(await refs(target)).toBe(await refs(source))
})

test('only maintainers see and change them, each in their own project', async () => {
  const { forge, at, id, source, user } = await pair()
  const other = await forge.project({ maintainer: user })
  const developer = await forge.user()
  await forge.as(forge.root).post(`/projects/${source.id}/members`, { user_id: developer.id, access_level: 30 })
  expect((await forge.as(developer).get(at)).status).toBe(403)
  expect((await forge.as(developer).post(`${at}/${id}/sync`)).status).toBe(403)
  expect((await forge.as(user).get(`/projects/${other.id}/remote_mirrors/${id}`)).status).toBe(404)
  expect((await forge.as(user).get(`${at}/${id}/public_key`)).status).toBe(404)
  expect((await forge.as(user).delete(`${at}/${id}`)).status).toBe(204)
  expect((await forge.as(user).get(`${at}/${id}`)).status).toBe(404)
})
