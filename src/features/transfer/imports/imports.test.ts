/** Projects made of a repository elsewhere: what is fetched, from where, and what is told of it. */

import { readdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Forge, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { createRepository } from '../../../git/repository/repository.ts'
import { fetchRemote, type Remote } from '../../../git/transfer/remote.ts'
import { enqueue } from '../../../queue/queue.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { failStaleImportsJob, importJob } from './imports.jobs.ts'

/** The forge of these tests is its own other server: on this machine, so that an administrator has to allow it. */
async function openToItself(): Promise<Forge> {
  const forge = await testForge()
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  return forge
}

let names = 0
const importing = (import_url: string) => ({ name: `imported${++names}`, import_url })

const servers: Server[] = []
afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))))

/** A server that answers everything so. */
async function serverThat(answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(answer as never)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The URL of a server that has just stopped, so connections to it are refused. */
async function addressOfNobody(): Promise<string> {
  const address = await serverThat(() => {})
  await new Promise((resolve) => servers.pop()?.close(resolve))
  return address
}

test('a public repository is imported with its branches, tags and default branch', async () => {
  const forge = await openToItself()
  const user = await forge.user()
  const source = await forge.project({ visibility: 'public', commits: [{ branch: 'trunk', files: { 'README.md': '# Hi\n' } }] })
  await git(source.dir, 'branch', 'other', 'trunk')
  await git(source.dir, 'tag', '-m', 'First', 'v1', 'trunk')
  await git(source.dir, 'update-ref', 'refs/keep-around/x', 'trunk')

  const made = await forge.as(user).post('/projects', { ...importing(await forge.remote(source)), visibility: 'internal' })
  await forge.drain()

  // The queue may have it already.
  expect([made.status, made.body.import_status]).toEqual([201, expect.stringMatching(/^(scheduled|started|finished)$/)])
  const { body } = await forge.as(user).get(`/projects/${made.body.id}?statistics=true`)
  expect(body).toMatchObject({ import_status: 'finished', import_error: null, default_branch: 'trunk', visibility: 'internal' })
  expect([body.statistics.commit_count, body.readme_url]).toEqual([1, expect.stringContaining('README.md')])
  const { dir } = forge.app.git.open(body.id)
  expect(await git(dir, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/other\nrefs/heads/trunk\nrefs/tags/v1')
  expect(await git(dir, 'fsck', '--full', '--strict')).toBe('')
  expect((await forge.as(user).get(`/projects/${body.id}/repository/branches/trunk`)).body.protected).toBe(true)
  expect((await forge.as(user).get(`/projects/${body.id}/repository/branches/other`)).body.protected).toBe(false)
})

test('an empty repository makes an empty project', async () => {
  const forge = await openToItself()
  const source = await forge.project({ visibility: 'public', files: null })

  const { body } = await forge.as(forge.root).post('/projects', importing(await forge.remote(source)))
  await forge.drain()

  expect((await forge.as(forge.root).get(`/projects/${body.id}`)).body).toMatchObject({ import_status: 'finished', default_branch: null })
})

test('credentials in the URL are used and stored nowhere', async () => {
  const forge = await openToItself()
  const user = await forge.user()
  const source = await forge.project({ reporter: user })
  const url = await forge.remote(source, user)

  const { body } = await forge.as(user).post('/projects', importing(url))
  await forge.drain()

  expect((await forge.as(user).get(`/projects/${body.id}`)).body.import_status).toBe('finished')
  const row = await forge.app.db.selectFrom('projects').selectAll().where('id', '=', body.id).executeTakeFirstOrThrow()
  expect(row.import_url).toBe(url.replace(/\/\/.*@/, '//'))
  const jobs = await forge.app.db.selectFrom('jobs').select('payload').execute()
  expect(JSON.stringify([row, jobs])).not.toContain(user.token)
})

test(
  'maintainers see why a fetch failed, without secrets, and the project can be pushed to',
  inFullRun('1 s of processor. `push-mirrors.test.ts` tells why an update failed in our own words.'),
  async () => {
    const forge = await openToItself()
    const [user, guest] = [await forge.user(), await forge.user()]
    const secret = 'hush-hush-hush'
    const [source, url] = [await forge.project(), await forge.url()]
    const path = `${source.full_path}.git`
    const moved = await serverThat((request, reply) => void reply.writeHead(302, { location: `${url}${request.url}` }).end())
    const silent = await serverThat((_, reply) => void reply.end('<html>'))
    const cases: Array<[string, string]> = [
      [`${url}/${path}`, 'The repository requires a username and a password, or rejects these'],
      [`${url.replace('//', `//ada:${secret}@`)}/${path}`, 'The repository requires a username and a password, or rejects these'],
      [`${url.replace('//', `//${user.username}:${user.token}@`)}/${path}`, 'There is no repository at this URL'],
      [`${moved}/${path}`, 'The URL leads to another, and redirections are not followed'],
      [silent, 'What is at this URL does not speak as a git server does'],
      [await addressOfNobody(), 'The host could not be reached'],
      ['http://no-such-host.invalid/x.git', 'The host no-such-host.invalid could not be found'],
    ]
    for (const [import_url, said] of cases) {
      const { body } = await forge.as(user).post('/projects', importing(import_url))
      await forge.drain()
      const { body: project } = await forge.as(user).get(`/projects/${body.id}`)
      expect([import_url, project.import_status, project.import_error]).toEqual([import_url, 'failed', said])
      await forge.as(user).post(`/projects/${body.id}/members`, { user_id: guest.id, access_level: 10 })
      expect((await forge.as(guest).get(`/projects/${body.id}`)).body.import_error).toBeUndefined()
      const first = { branch: 'main', content: 'x', commit_message: 'First' }
      expect((await forge.as(user).post(`/projects/${body.id}/repository/files/x`, first)).status).toBe(201)
    }
  },
)

test('unless it is allowed nothing is fetched from this machine or its network, in any spelling', async () => {
  const forge = await openToItself()
  const url = await forge.url()
  const { port } = new URL(url)
  const source = await forge.project({ visibility: 'public' })
  const before = (await forge.as(forge.root).get('/projects?per_page=1')).headers['x-total']
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: false })

  for (const host of [
    '127.0.0.1',
    'localhost',
    '2130706433',
    '0x7f.1',
    '0177.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '169.254.169.254',
    '10.0.0.1',
  ]) {
    const answer = await forge.as(forge.root).post('/projects', importing(`http://${host}:${port}/${source.full_path}.git`))
    const said = host === 'localhost' ? 'localhost' : 'the local network'
    expect([host, answer.status, answer.body]).toEqual([
      host,
      400,
      { message: { import_url: [`is blocked: Requests to ${said} are not allowed`] } },
    ])
  }
  expect((await forge.as(forge.root).get('/projects?per_page=1')).headers['x-total']).toBe(before)
})

test('an address that is no longer allowed when the job runs is not fetched from', async () => {
  const forge = await openToItself()
  const source = await forge.project({ visibility: 'public' })
  const url = await forge.remote(source)
  const project = await forge.project({ files: null })
  const target = { url, host: '127.0.0.1', port: Number(new URL(url).port), credentials: null }
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: false })
  await forge.app.db.updateTable('projects').set({ import_status: 'scheduled' }).where('id', '=', project.id).execute()
  await enqueue(forge.app.db, importJob, { project_id: project.id, user_id: forge.root.id, target })
  await forge.drain()

  const { body } = await forge.as(forge.root).get(`/projects/${project.id}`)
  expect([body.import_status, body.import_error]).toEqual(['failed', 'Requests to the local network are not allowed'])
})

test('a URL of no repository is rejected with 400, and nobody imports from an address that is not allowed', async () => {
  const forge = await openToItself()
  const refused = async (import_url: string) => (await forge.as(forge.root).post('/projects', importing(import_url))).body
  const only = { message: { import_url: ['is blocked: Only allowed protocols are http, https'] } }

  for (const url of ['file:///etc/passwd', 'ssh://git@example.com/x.git', 'ext::id', 'git://example.com/x'])
    expect(await refused(url)).toEqual(only)
  expect(await refused('/etc')).toEqual({ message: { import_url: ['is blocked: URI is invalid'] } })
  expect(await refused('http://example.com:25/x')).toEqual({
    message: { import_url: ['is blocked: Only allowed ports are 22, 80, 443, and any over 1024'] },
  })

  await writeSettings(forge.app.db, { import_sources: ['gitlab_project'] })
  try {
    const answer = await forge.as(forge.root).post('/projects', importing('https://example.com/x.git'))
    expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden' }])
  } finally {
    await writeSettings(forge.app.db, { import_sources: ['git', 'gitlab_project'] })
  }
})

test('git connects to the addresses that were checked, whatever DNS says later', async () => {
  const forge = await openToItself()
  const source = await forge.project({ visibility: 'public' })
  const { port } = new URL(await forge.url())
  const repo = forge.app.git.open(900_001)
  await createRepository(repo, 'main')
  const remote: Remote = {
    url: `http://nowhere.invalid:${port}/${source.full_path}.git`,
    host: 'nowhere.invalid',
    port: Number(port),
    addresses: ['127.0.0.1'],
    credentials: null,
  }

  expect(await fetchRemote(repo, remote, { max_bytes: 2 ** 30, deadline_ms: 30_000 })).toBe('main')
  expect(await git(repo.dir, 'rev-parse', 'main')).toBe(await git(source.dir, 'rev-parse', 'main'))
  expect(await git(repo.dir, 'rev-parse', '--is-shallow-repository')).toBe('false')

  const failure = await fetchRemote(repo, remote, { max_bytes: 10, deadline_ms: 30_000 }).catch((error) => error)
  expect([failure.code, failure.message]).toEqual(['too_large', 'The repository is larger than 0 MB'])
})

test('objects that no push may bring are refused, and nothing of them stays', async () => {
  const forge = await openToItself()
  const source = await forge.project({ visibility: 'public' })
  const file = join(await forge.folder(), 'commit')
  await writeFile(file, `tree ${await git(source.dir, 'rev-parse', 'main^{tree}')}\nauthor nobody\ncommitter nobody\n\nBroken\n`)
  const broken = await git(source.dir, 'hash-object', '-w', '--literally', '-t', 'commit', file)
  await git(source.dir, 'update-ref', 'refs/heads/broken', broken)

  const { body } = await forge.as(forge.root).post('/projects', importing(await forge.remote(source)))
  await forge.drain()

  const { body: project } = await forge.as(forge.root).get(`/projects/${body.id}`)
  expect([project.import_status, project.import_error]).toEqual(['failed', 'Git does not accept the objects of the repository'])
  expect(await readdir(join(forge.app.git.open(body.id).dir, 'objects', 'pack'))).toEqual([])
})

test(
  'invalid branch and tag names are refused in an import',
  inFullRun('Half a second of processor. Names of refs that git does not take are refused in `names.test.ts`.'),
  async () => {
    const forge = await openToItself()
    const id = 'a'.repeat(40)
    for (const [ref, reason] of [
      [`refs/heads/${id}`, `The branch ${id} would be taken for an object id.`],
      ['refs/heads/-x', 'The name of the branch -x is invalid.'],
      ['refs/tags/HEAD', 'The name of the tag HEAD is invalid.'],
      ['refs/heads/refs/heads/main', 'The name of the branch refs/heads/main is invalid.'],
    ] as const) {
      const source = await forge.project({ visibility: 'public' })
      await git(source.dir, 'update-ref', ref, 'refs/heads/main')

      const { body } = await forge.as(forge.root).post('/projects', importing(await forge.remote(source)))
      await forge.drain()

      const { body: project } = await forge.as(forge.root).get(`/projects/${body.id}`)
      expect([project.import_status, project.import_error]).toEqual(['failed', reason])
      expect(await git(forge.app.git.open(body.id).dir, 'for-each-ref')).toBe('')
    }
  },
)

test('an import whose process died goes on where it was, and is recorded once', async () => {
  const forge = await openToItself()
  const source = await forge.project({ visibility: 'public' })
  const url = await forge.remote(source)
  const { body } = await forge.as(forge.root).post('/projects', importing(url))
  await forge.drain()
  const target = { url, host: '127.0.0.1', port: Number(new URL(url).port), credentials: null }
  const again = async (died: { default_branch?: null }) => {
    await forge.app.db
      .updateTable('projects')
      .set({ import_status: 'started', ...died })
      .where('id', '=', body.id)
      .execute()
    await enqueue(forge.app.db, importJob, { project_id: body.id, user_id: forge.root.id, target })
    await forge.drain()
    return (await forge.as(forge.root).get(`/projects/${body.id}`)).body
  }
  const events = () =>
    forge.app.db.selectFrom('events').select('ref').where('project_id', '=', body.id).where('action', '=', 'pushed').execute()

  expect(await again({})).toMatchObject({ import_status: 'finished', default_branch: 'main' })
  expect(await events()).toEqual([{ ref: 'refs/heads/main' }])
  expect(await again({ default_branch: null })).toMatchObject({ import_status: 'finished', default_branch: 'main' })
  expect(await git(forge.app.git.open(body.id).dir, 'fsck', '--full', '--strict')).toBe('')
})

test('an abandoned import fails, and its job is removed', async () => {
  const forge = await openToItself()
  const [old, young] = [await forge.project({ files: null }), await forge.project({ files: null })]
  const set = (id: number, updated_at: string) =>
    forge.app.db.updateTable('projects').set({ import_status: 'started', updated_at }).where('id', '=', id).execute()
  await set(old.id, '2020-01-01T00:00:00.000Z')
  await set(young.id, new Date().toISOString())
  await enqueue(forge.app.db, failStaleImportsJob, {})
  await forge.drain()

  const states = await forge.app.db
    .selectFrom('projects')
    .select(['id', 'import_status'])
    .where('id', 'in', [old.id, young.id])
    .orderBy('id')
    .execute()
  expect(states.map(({ import_status }) => import_status)).toEqual(['failed', 'started'])
})
