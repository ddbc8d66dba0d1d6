/** Counts of fetches: what counts as one, over HTTP and SSH, and that nothing is lost or written for a single one. */
import { join } from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, gitReading } from '../../../../test/support/git.ts'
import { hasSsh, keyOf, sshHost, withKey } from '../../../../test/support/ssh.ts'
import { today } from '../../../db/instants.ts'
import { addFetches } from './fetches.queries.ts'
import { countFetch, lastDays, watchFetches, writeFetches } from './fetches.ts'

let forge: Forge
let reporter: TestUser

beforeAll(async () => {
  forge = await testForge()
  reporter = await forge.user()
})

afterEach(() => writeFetches(forge.app))

const statistics = (project: TestProject, user = reporter) => forge.as(user).get(`/projects/${project.id}/statistics`)

/** The total, after what was counted has been written. */
async function totalOf(project: TestProject): Promise<number> {
  await writeFetches(forge.app)
  return (await statistics(project)).body.fetches.total
}

/** Commits without changes, on top of `main`. */
async function commitTo(dir: string, branch: string, count: number): Promise<void> {
  const commits = Array.from({ length: count }, (_, index) => {
    const from = index === 0 ? 'from refs/heads/main^0\n' : ''
    return `commit refs/heads/${branch}\ncommitter A <a@example.com> ${1_800_000_000 + index} +0000\ndata ${branch.length}\n${branch}\n${from}`
  })
  await gitReading(dir, commits.join('\n'), 'fast-import', '--quiet')
}

test('a clone and a pull count once each, in every version of the protocol, and looking for news does not', async () => {
  const project = await forge.project({ reporter, commits: [{ files: { a: '1' } }] })
  const remote = await forge.remote(project, reporter)
  let expected = 0
  for (const version of ['0', '1', '2']) {
    const of = ['-c', `protocol.version=${version}`]
    const clone = join(await forge.folder(), `clone-${version}`)
    await git(await forge.folder(), ...of, 'clone', '--quiet', remote, clone)
    expect([version, await totalOf(project)]).toEqual([version, ++expected])
    await git(clone, ...of, 'ls-remote', '--quiet')
    await git(clone, ...of, 'fetch', '--quiet')
    expect([version, await totalOf(project)]).toEqual([version, expected])
    // Commits of their own make the clients negotiate first, which takes requests without a pack.
    await commitTo(join(clone, '.git'), 'mine', 40)
    await commitTo(project.dir, 'main', 1)
    await git(clone, ...of, 'fetch', '--quiet')
    expect([version, await totalOf(project)]).toEqual([version, ++expected])
  }
  const { body } = await statistics(project)
  expect(body).toEqual({ fetches: { total: expected, days: [{ count: expected, date: today() }] } })
})

test.skipIf(!hasSsh)('fetches over SSH count too, those of a wiki do not', async () => {
  const owner = await forge.user()
  const project = await forge.project({ owner, reporter })
  await forge.as(owner).post(`/projects/${project.id}/wikis`, { title: 'Home', content: 'x' })
  const [host, key] = [await sshHost(), await keyOf(reporter)]
  const folder = await forge.folder()
  for (const path of [project.full_path, `${project.full_path}.wiki`])
    await git(folder, ...withKey(key), 'clone', '--quiet', host.remote(path), join(folder, path.replaceAll('/', '-')))
  await git(folder, ...withKey(key), 'ls-remote', '--quiet', host.remote(project))
  await git(folder, 'clone', '--quiet', await forge.remote(`${project.full_path}.wiki`, reporter), join(folder, 'wiki-over-http'))
  expect(await totalOf(project)).toBe(1)
})

test('a fetch writes nothing; many are written by a few statements, by every process, and the rest when the server stops', async () => {
  const { app } = forge
  const projects = [await forge.project({ reporter, files: null }), await forge.project({ reporter, files: null })] as const
  const counting = await forge.cost(async () => {
    for (let index = 0; index < 1_000; index += 1) countFetch(app, projects[index % 2 === 0 ? 0 : 1].id)
  })
  expect(counting).toEqual({ statements: 0, processes: 0 })
  const { statements } = await forge.cost(() => writeFetches(app))
  expect(statements).toBeLessThan(7)
  // Another process has limits of its own, and the same database.
  const other = { ...app, limits: { ...app.limits } }
  countFetch(other, projects[0].id)
  countFetch(app, projects[0].id)
  const [stopHere, stopThere] = [watchFetches(app), watchFetches(other)]
  await Promise.all([stopHere(), stopThere()])
  expect([(await statistics(projects[0])).body.fetches.total, (await statistics(projects[1])).body.fetches.total]).toEqual([502, 500])
  expect((await forge.cost(() => writeFetches(app))).statements).toBe(0)
})

test('a project that was deleted meanwhile stops nothing, and what could not be written is written later', async () => {
  const { app } = forge
  const [project, gone] = [await forge.project({ reporter, files: null }), await forge.project({ files: null })]
  await app.db.deleteFrom('projects').where('id', '=', gone.id).execute()
  countFetch(app, gone.id)
  countFetch(app, project.id)
  const broken = { ...app, db: app.db.withSchema('nowhere') }
  await expect(writeFetches(broken)).rejects.toThrow('nowhere')
  expect(await totalOf(project)).toBe(1)
})

test('the last thirty days are shown, the newest first, and older ones are removed', async () => {
  const project = await forge.project({ reporter, files: null })
  const days = lastDays()
  const [oldest, newest] = [days[0] as string, days.at(-1) as string]
  const before = new Date(Date.parse(oldest) - 86_400_000).toISOString().slice(0, 10)
  expect([days.length, newest]).toEqual([30, today()])
  await addFetches(
    forge.app.db,
    [before, oldest, newest].map((day, index) => ({ project_id: project.id, day, count: index + 1 })),
  )
  const expected = (count: number) => ({
    fetches: {
      total: count + 2,
      days: [
        { count, date: newest },
        { count: 2, date: oldest },
      ],
    },
  })
  expect((await statistics(project)).body).toEqual(expected(3))
  countFetch(forge.app, project.id)
  await writeFetches(forge.app)
  expect((await statistics(project)).body).toEqual(expected(4))
  const kept = await forge.app.db.selectFrom('fetch_counts').select('day').where('project_id', '=', project.id).orderBy('day').execute()
  expect(kept.map(({ day }) => day)).toEqual([oldest, newest])
})

test('who may not read the code may not read how often it is fetched', async () => {
  const [owner, guest] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner, guest, reporter, visibility: 'public' })
  expect((await statistics(project, guest)).status).toBe(403)
  expect((await forge.anonymous.get(`/projects/${project.id}/statistics`)).status).toBe(401)
  await forge
    .as(owner)
    .put(`/projects/${project.id}`, { repository_access_level: 'disabled', merge_requests_enabled: false, jobs_enabled: false })
  expect([(await statistics(project)).status, (await statistics(project, owner)).status]).toEqual([403, 403])
})
