/** A wiki goes along when its project is forked, exported or backed up, and counts toward its size. */
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { outside, refsIn } from '../../../../test/support/backups.ts'
import { exportOf, filesIn, importOf } from '../../../../test/support/fixtures/archives.ts'
import { testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { findWiki } from '../../../access/wikis.ts'
import { checkRepositories } from '../../../admin/checks/repositories.ts'
import { backUp } from '../../../backup/backup.ts'
import { openProgress } from '../../../backup/progress.ts'
import { repositoryIn } from '../../../backup/source.ts'
import { verifyGeneration } from '../../../backup/verify.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { wikiHousekeepingJob, wikiRoundJob } from './wikis.jobs.ts'

async function prepared() {
  const forge = await testForge()
  const [owner, developer] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner, developer, visibility: 'public' })
  await forge.as(developer).post(`/projects/${project.id}/wikis`, { title: 'home', content: 'Welcome' })
  await forge.as(developer).post(`/projects/${project.id}/wikis`, { title: 'a/b', content: 'Deep' })
  return { forge, owner, developer, project }
}

const titles = ({ body }: { body: Array<{ slug: string }> }) => body.map(({ slug }) => slug)

test(
  'a fork has the wiki of its source, with its history; where the reader may not see it, none',
  inFullRun('Half a second of processor. An export carries the wiki with the same commits, below.'),
  async () => {
    const { forge, owner, project } = await prepared()
    const [reader, other] = [await forge.user(), await forge.user()]
    const fork = await forge.as(reader).post(`/projects/${project.id}/fork`)
    await forge.as(owner).put(`/projects/${project.id}`, { wiki_access_level: 'enabled' })
    await forge.drain()
    expect(titles(await forge.as(reader).get(`/projects/${fork.body.id}/wikis`))).toEqual(['home', 'a/b'])
    await forge.as(owner).put(`/projects/${project.id}`, { wiki_access_level: 'private' })
    const poor = await forge.as(other).post(`/projects/${project.id}/fork`)
    await forge.drain()
    await forge.as(other).put(`/projects/${poor.body.id}`, { wiki_access_level: 'enabled' })
    expect(titles(await forge.as(other).get(`/projects/${poor.body.id}/wikis`))).toEqual([])
  },
)

test('an export carries the wiki, and what is made of it has the same commits', async () => {
  const { forge, owner, project } = await prepared()
  const archive = await exportOf(forge, owner, project)
  expect((await filesIn(archive)).map(({ name }) => name)).toContain('wiki.bundle')
  const made = await importOf(forge, owner, archive)
  expect(titles(await forge.as(owner).get(`/projects/${made.id}/wikis`))).toEqual(['home', 'a/b'])
  const tipOf = async (id: number) => {
    const wiki = await findWiki(forge.app.db, { kind: 'project', row: { id } })
    return git(forge.app.git.openWiki(wiki?.id ?? 0).dir, 'rev-parse', 'HEAD')
  }
  expect(await tipOf(made.id)).toBe(await tipOf(project.id))
})

test('a page that is written shows that the project is alive', async () => {
  const { forge, developer, project } = await prepared()
  const long_ago = '2020-01-01T00:00:00.000Z'
  await forge.app.db.updateTable('projects').set({ last_activity_at: long_ago }).where('id', '=', project.id).execute()
  await forge.as(developer).put(`/projects/${project.id}/wikis/home`, { content: 'Again' })
  expect((await forge.as(developer).get(`/projects/${project.id}`)).body.last_activity_at).not.toBe(long_ago)
})

test('statistics and the snapshot for administrators include the wiki', async () => {
  const { forge, project } = await prepared()
  await forge.drain()
  const { statistics } = (await forge.as(forge.root).get(`/projects/${project.id}?statistics=1`)).body
  expect(statistics.wiki_size).toBeGreaterThan(0)
  expect(statistics.storage_size).toBe(
    statistics.repository_size + statistics.wiki_size + statistics.snippets_size + statistics.lfs_objects_size,
  )
  const snapshot = await forge.as(forge.root).get(`/projects/${project.id}/snapshot?wiki=true`)
  expect([snapshot.status, snapshot.headers['content-type']]).toEqual([200, 'application/x-tar'])
})

test('the daily round repairs wikis, removes what interrupted pushes left, and asks for housekeeping where it is due', async () => {
  const { forge, project } = await prepared()
  await forge.drain()
  const wiki = await findWiki(forge.app.db, { kind: 'project', row: project })
  const repo = forge.app.git.openWiki(wiki?.id ?? 0)
  await writeSettings(forge.app.db, { housekeeping_enabled: true, housekeeping_bitmaps_enabled: true })
  await wikiHousekeepingJob.handle(forge.app, { wiki_id: wiki?.id ?? 0 })
  const left = join(repo.dir, 'objects', 'pack', 'tmp_pack_left')
  await writeFile(left, '')
  await utimes(left, new Date(0), new Date(0))
  await writeFile(join(repo.dir, 'config'), '')
  for (let index = 0; index < 7; index += 1) {
    await git(repo.dir, 'update-ref', `refs/heads/b${index}`, await git(repo.dir, 'commit-tree', '-m', `${index}`, 'main^{tree}'))
    await git(repo.dir, 'repack', '-q')
  }
  await wikiRoundJob.handle(forge.app, {})
  await expect(stat(left)).rejects.toThrow('ENOENT')
  expect(await readFile(join(repo.dir, 'config'), 'utf8')).toContain('bare = true')
  const due = await forge.app.db
    .selectFrom('jobs')
    .select('payload')
    .where('name', '=', wikiHousekeepingJob.name)
    .where('state', '=', 'ready')
    .execute()
  expect(due.map(({ payload }) => JSON.parse(payload))).toContainEqual({ wiki_id: wiki?.id })
  await forge.drain()
  expect(titles(await forge.as(forge.root).get(`/projects/${project.id}/wikis`))).toEqual(['home', 'a/b'])
})

test('the doctor looks at wikis, and tells which has lost its repository or its branch', async () => {
  const { forge, project } = await prepared()
  const wiki = await findWiki(forge.app.db, { kind: 'project', row: project })
  const repo = forge.app.git.openWiki(wiki?.id ?? 0)
  const found = async () => JSON.stringify(await checkRepositories(forge.app.db, forge.app.git))
  expect(await found()).not.toContain(`${project.full_path}.wiki`)
  await git(repo.dir, 'update-ref', '-d', 'refs/heads/main')
  expect(await found()).toContain(`${project.full_path}.wiki has no branch main`)
  await rm(repo.dir, { recursive: true })
  expect(await found()).toContain(`${project.full_path}.wiki has no repository`)
  await forge.app.db
    .deleteFrom('wikis')
    .where('id', '=', wiki?.id ?? 0)
    .execute()
})

test(
  'a backup has the repository of the wiki, and verifying it tells where that is missing',
  inFullRun('4 s of processor. src/backup saves repositories, and forks and exports carry wikis below.'),
  async () => {
    const { forge, project } = await prepared()
    const progress = openProgress(true, { write: () => true, isTTY: false })
    const { folder } = await backUp(forge.app.config, await outside(), {
      verify: true,
      keep: null,
      progress,
      signal: new AbortController().signal,
    })
    expect(progress.faults).toEqual([])
    const wiki = await findWiki(forge.app.db, { kind: 'project', row: project })
    const saved = repositoryIn(forge.app.git, folder, { project_id: 0, wiki_id: wiki?.id ?? 0 })
    expect(await git(saved.dir, 'show', 'HEAD:home.md')).toBe('Welcome')
    expect(Object.keys(await refsIn(folder, project.id))).toContain('refs/heads/main')
    await rm(saved.dir, { recursive: true })
    const again = openProgress(true, { write: () => true, isTTY: false })
    await verifyGeneration(folder, again).catch((error: Error) => again.fault(error.message))
    expect(again.faults.join('\n')).toContain(`repository of wiki ${wiki?.id}`)
  },
)
