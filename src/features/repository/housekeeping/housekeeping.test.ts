import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { notesOf } from '../../../git/maintenance/housekeeping.ts'
import { defaults, writeSettings } from '../../instance/settings/settings.service.ts'
import { dailyHousekeepingJob, housekeepingJob, wanted } from './housekeeping.jobs.ts'

let forge: Forge

beforeEach(async () => {
  forge = await testForge()
  await forge.app.db.deleteFrom('jobs').where('name', '=', housekeepingJob.name).execute()
  await writeSettings(forge.app.db, { housekeeping_enabled: true, housekeeping_bitmaps_enabled: true })
})

const start = (project: TestProject, user = forge.root) => forge.as(user).post(`/projects/${project.id}/housekeeping`)
const inPack = (project: TestProject, ending: string) =>
  readdir(join(project.dir, 'objects', 'pack')).then((names) => names.filter((name) => name.endsWith(ending)))
const waiting = () => forge.app.db.selectFrom('jobs').selectAll().where('name', '=', housekeepingJob.name).orderBy('id').execute()
const loose = async (project: TestProject) => Number((await git(project.dir, 'count-objects')).split(' ')[0])

test('a maintainer starts housekeeping, and the queue does it: all packed, with a bitmap, nothing lost', async () => {
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer })
  await git(project.dir, 'hash-object', '-w', join(project.dir, 'HEAD'))
  const before = await git(project.dir, 'rev-list', '--all', '--objects')

  const health = () => forge.as(maintainer).get(`/projects/${project.id}/repository/health?generate=true`)
  const loosely = await health()
  expect([loosely.status, loosely.body]).toMatchObject([
    200,
    {
      objects: { loose_objects_count: await loose(project), stale_loose_objects_count: 0, packfile_count: 0, keep_size: 0 },
      references: { reference_backend: 'REFERENCE_BACKEND_FILES' },
      bitmap: null,
      multi_pack_index: null,
    },
  ])
  expect([loosely.body.size, loosely.body.references.loose_count > 0]).toEqual([loosely.body.objects.recent_size, true])

  const answer = await start(project, maintainer)
  expect([answer.status, answer.body]).toEqual([201, null])
  await forge.drain()
  expect((await health()).body).toMatchObject({
    objects: { loose_objects_count: 0, loose_objects_garbage_count: 0, packfile_count: (await inPack(project, '.pack')).length },
    commit_graph: { commit_graph_chain_length: expect.any(Number), has_generation_data: true },
  })
  const { bitmap, multi_pack_index_bitmap } = (await health()).body
  expect((bitmap ?? multi_pack_index_bitmap).version).toBe(1)

  expect([await loose(project), (await inPack(project, '.bitmap')).length]).toEqual([0, 1])
  expect(await git(project.dir, 'rev-list', '--all', '--objects')).toBe(before)
  expect(await git(project.dir, 'fsck', '--full', '--no-dangling')).toBe('')
})

test('others get 401, 403 or 404, and nothing is enqueued', async () => {
  const [developer, stranger] = [await forge.user(), await forge.user()]
  const project = await forge.project({ developer })
  await forge.app.db.deleteFrom('jobs').where('name', '=', housekeepingJob.name).execute()
  const anonymous = await forge.anonymous.post(`/projects/${project.id}/housekeeping`)
  expect([anonymous.status, (await start(project, developer)).status, (await start(project, stranger)).status]).toEqual([401, 403, 404])
  expect((await forge.as(developer).get(`/projects/${project.id}/repository/health`)).status).toBe(403)
  expect(await waiting()).toEqual([])
})

const taken = { message: 'Somebody already triggered housekeeping for this project in the past 1440 minutes' }

test('housekeeping that is queued or running gets 409; afterwards it can be started again', async () => {
  const project = await forge.project()
  await forge.app.db.deleteFrom('jobs').where('name', '=', housekeepingJob.name).execute()
  await writeFile(join(project.dir, '.housekeeping.lock'), '')
  const underWay = await start(project)
  expect([underWay.status, underWay.body, await waiting()]).toEqual([409, taken, []])

  await utimes(join(project.dir, '.housekeeping.lock'), new Date(0), new Date(0))
  const answers = [await start(project), await start(project)]
  expect(answers.map(({ status }) => status).toSorted()[0]).toBe(201)
  await forge.drain()
  expect((await start(project)).status).toBe(201)
  await forge.drain()
})

test('many pushes enqueue one check of their project, a little later', async () => {
  const project = await forge.project()
  const other = await forge.project()
  const jobs = await waiting()
  expect(jobs.map(({ payload }) => JSON.parse(payload))).toEqual([{ project_id: project.id }, { project_id: other.id }])
  expect(Date.parse(jobs[0]?.run_at ?? '')).toBeGreaterThan(Date.now())
})

test('after a push only what is needed is done, and nothing where disabled, except on request', async () => {
  const project = await forge.project()
  const before = await loose(project)
  const run = (asked: boolean) => housekeepingJob.handle(forge.app, { project_id: project.id, asked })
  await run(false)
  expect([await loose(project), (await notesOf(forge.app.git.open(project.id)))?.push_count]).toEqual([before, 1])

  await writeSettings(forge.app.db, { housekeeping_enabled: false, housekeeping_bitmaps_enabled: false })
  await forge.app.db.updateTable('projects').set({ push_count: 2 }).where('id', '=', project.id).execute()
  await run(false)
  expect((await notesOf(forge.app.git.open(project.id)))?.push_count).toBe(1)
  await run(true)
  expect([await loose(project), await inPack(project, '.bitmap')]).toEqual([0, []])
})

test.each(['housekeeping_incremental_repack_period', 'housekeeping_full_repack_period', 'housekeeping_gc_period'] as const)(
  'a push that completes the period of %s packs what by need alone would stay',
  async (period) => {
    const project = await forge.project()
    expect(await loose(project)).toBeGreaterThan(0)
    await writeSettings(forge.app.db, { [period]: 1 })
    await housekeepingJob.handle(forge.app, { project_id: project.id })
    await writeSettings(forge.app.db, { [period]: null })
    expect(await loose(project)).toBe(0)
  },
)

test('a deleted project is skipped, and a locked repository is retried later', async () => {
  await housekeepingJob.handle(forge.app, { project_id: 987_654 })
  expect(await waiting()).toEqual([])
  const project = await forge.project()
  await forge.app.db.deleteFrom('jobs').where('name', '=', housekeepingJob.name).execute()
  await writeFile(join(project.dir, '.housekeeping.lock'), '')
  await housekeepingJob.handle(forge.app, { project_id: project.id })
  expect((await waiting()).map(({ payload }) => JSON.parse(payload))).toEqual([{ project_id: project.id }])
})

test('periods count pushes between runs, and are ignored where unset', () => {
  const periods = { housekeeping_incremental_repack_period: 10, housekeeping_full_repack_period: 50, housekeeping_gc_period: 200 }
  const settings = { ...defaults, ...periods }
  expect(wanted(defaults, 0, 10_000)).toBe('none')
  expect(
    [
      [0, 9],
      [9, 10],
      [10, 19],
      [19, 23],
      [48, 51],
      [199, 201],
      [200, 200],
    ].map(([since, now]) => wanted(settings, since as number, now as number)),
  ).toEqual(['none', 'incremental', 'none', 'incremental', 'full', 'full', 'none'])
})

test('each day all repositories are checked: stale files are removed and due housekeeping enqueued', async () => {
  const [tidy, untidy] = [await forge.project(), await forge.project()]
  for (const { id } of [tidy, untidy]) await housekeepingJob.handle(forge.app, { project_id: id, asked: true })
  await forge.app.db.deleteFrom('jobs').where('name', '=', housekeepingJob.name).execute()
  const left = join(untidy.dir, 'objects', 'pack', 'tmp_pack_left')
  await writeFile(left, '')
  await utimes(left, new Date(0), new Date(0))
  for (let index = 0; index < 7; index += 1) {
    await git(untidy.dir, 'update-ref', `refs/heads/b${index}`, await git(untidy.dir, 'commit-tree', '-m', `${index}`, 'main^{tree}'))
    await git(untidy.dir, 'repack', '-q')
  }
  await dailyHousekeepingJob.handle(forge.app, {})
  expect(await inPack(untidy, 'left')).toEqual([])
  expect((await waiting()).map(({ payload }) => JSON.parse(payload))).toEqual([{ project_id: untidy.id }])
})
