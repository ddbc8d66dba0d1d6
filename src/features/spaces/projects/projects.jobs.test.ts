/** Background work on projects, and recovery after a process ended in the middle of it. */
import { readFile, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'
import { git, tryGit } from '../../../../test/support/git.ts'
import { createRepository } from '../../../git/repository/repository.ts'
import { createRepositoryJob, measureProjectJob, repairRepositoriesJob } from './projects.jobs.ts'

test('a repository whose making was interrupted is made later, with its default branch', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  const waiting = await forge.app.db.selectFrom('jobs').select(['payload']).where('name', '=', createRepositoryJob.name).execute()
  const payload = waiting.map((row) => JSON.parse(row.payload)).find((found) => found.project_id === project.id)
  await rm(project.dir, { recursive: true })

  await createRepositoryJob.handle(forge.app, payload)

  expect((await stat(project.dir)).isDirectory()).toBe(true)
  expect((await forge.as(forge.root).get(`/projects/${project.id}/repository/branches`)).body).toEqual([])
})

test('a deleted project gets no repository', async () => {
  const forge = await testForge()
  const project = await forge.project()
  await forge.as(forge.root).delete(`/projects/${project.id}`)
  await forge.drain()

  await createRepositoryJob.handle(forge.app, { project_id: project.id, default_branch: 'main' })

  await expect(stat(project.dir)).rejects.toThrow('ENOENT')
})

test('a repository created just after its project was deleted is removed', async () => {
  const forge = await testForge()
  const project = await forge.project()
  await forge.as(forge.root).delete(`/projects/${project.id}`)
  await forge.drain()
  await createRepository(forge.app.git.open(project.id), 'main')

  await createRepositoryJob.handle(forge.app, { project_id: project.id, default_branch: 'main' })

  await expect(stat(project.dir)).rejects.toThrow('ENOENT')
})

test('statistics count the commits of the default branch and the bytes of the repository', async () => {
  const forge = await testForge()
  const project = await forge.project({ commits: [{ files: { a: '1' } }, { files: { a: '2' } }, { files: { b: '3' }, branch: 'other' }] })
  await measureProjectJob.handle(forge.app, { project_id: project.id })

  const { body } = await forge.as(forge.root).get(`/projects/${project.id}?statistics=true`)

  expect(body.statistics).toMatchObject({ commit_count: 2, lfs_objects_size: 0, job_artifacts_size: 0 })
  expect(body.statistics.repository_size).toBeGreaterThan(0)
  expect(body.statistics.storage_size).toBe(body.statistics.repository_size)
})

test('repositories that a power cut left without a HEAD are repaired by a job: their commits are reachable again', async () => {
  const forge = await testForge()
  const projects = [await forge.project(), await forge.project({ commits: [{ files: { a: '1' }, branch: 'trunk' }] })]
  const commits = async () =>
    Promise.all(projects.map(async ({ id }) => (await forge.as(forge.root).get(`/projects/${id}/repository/commits`)).body))
  const before = await commits()
  for (const { dir } of projects) await truncate(join(dir, 'HEAD'))
  expect((await tryGit(projects[0]?.dir ?? '', 'log')).stderr).toContain('not a git repository')

  await repairRepositoriesJob.handle(forge.app, {})

  expect(await commits()).toEqual(before)
  expect(await readFile(join(projects[1]?.dir ?? '', 'HEAD'), 'utf8')).toBe('ref: refs/heads/trunk\n')
})

test('a push to such a repository repairs it, and is taken', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const clone = await forge.folder()
  await git(clone, 'clone', '--quiet', await forge.remote(project, forge.root), '.')
  await git(clone, 'commit', '--quiet', '--allow-empty', '-m', 'One more')
  await truncate(join(project.dir, 'HEAD'))
  await truncate(join(project.dir, 'config'))

  await git(clone, 'push', '--quiet', 'origin', 'main')

  expect(await git(project.dir, 'rev-parse', 'HEAD')).toBe(await git(clone, 'rev-parse', 'HEAD'))
})
