/** Filling a project whose job two processes run at once: one of them is first, and the other does no harm. */
import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { copyRepository } from '../../../git/transfer/mirror.ts'
import { openStagedImport } from '../../../git/transfer/staged-import.ts'
import { fillProject } from './fill.service.ts'

/** The other run comes to its end while this one brings the content, and users go on from there. */
async function overtaken(forge: Forge, project: TestProject, bring: () => Promise<string | null>): Promise<unknown> {
  const set = (change: { import_status: 'started' | 'finished'; default_branch: string | null }) =>
    forge.app.db.updateTable('projects').set(change).where('id', '=', project.id).execute()
  await set({ import_status: 'started', default_branch: null })
  await fillProject(
    forge.app,
    { project_id: project.id, user_id: forge.root.id },
    {
      async bring() {
        await set({ import_status: 'finished', default_branch: 'main' })
        return bring()
      },
    },
  )
  const events = await forge.app.db
    .selectFrom('events')
    .select('id')
    .where('project_id', '=', project.id)
    .where('action', '=', 'pushed')
    .execute()
  const { body } = await forge.as(forge.root).get(`/projects/${project.id}`)
  return [body.import_status, body.default_branch, await git(project.dir, 'rev-parse', 'main'), events.length]
}

test('a run that fails after another has finished leaves the finished repository', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const main = await git(project.dir, 'rev-parse', 'main')
  const events = await forge.app.db
    .selectFrom('events')
    .select('id')
    .where('project_id', '=', project.id)
    .where('action', '=', 'pushed')
    .execute()

  const after = await overtaken(forge, project, () => Promise.reject(new Error('the host is gone')))

  expect(after).toEqual(['finished', 'main', main, events.length])
})

test('a run that finishes second leaves the repository and records nothing twice', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const main = await git(project.dir, 'rev-parse', 'main')
  const events = await forge.app.db
    .selectFrom('events')
    .select('id')
    .where('project_id', '=', project.id)
    .where('action', '=', 'pushed')
    .execute()

  expect(await overtaken(forge, project, async () => 'main')).toEqual(['finished', 'main', main, events.length])
})

test('an overtaken run undoes no push and marks nothing failed', async () => {
  const forge = await testForge()
  const [source, project] = [await forge.project(), await forge.project({ files: null })]
  await forge.app.db.updateTable('projects').set({ import_status: 'scheduled' }).where('id', '=', project.id).execute()
  const filling = { project_id: project.id, user_id: forge.root.id }
  const copy = (empty: Repo) => copyRepository(forge.app.git.open(source.id), empty, { share: false }).then(() => 'main')

  await fillProject(forge.app, filling, {
    async bring(empty) {
      await copy(empty)
      await fillProject(forge.app, filling, { bring: copy })
      await git(project.dir, 'update-ref', 'refs/heads/mine', 'main')
      await git(project.dir, 'update-ref', 'refs/heads/main', await git(project.dir, 'commit-tree', '-m', 'Ours', 'main^{tree}'))
      return copy(empty)
    },
  })

  const { body } = await forge.as(forge.root).get(`/projects/${project.id}`)
  expect([body.import_status, body.import_error]).toEqual(['finished', null])
  expect(await git(project.dir, 'log', '--format=%s', '-1', 'main')).toBe('Ours')
  expect(await git(project.dir, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\nrefs/heads/mine')
  expect((await readdir(project.dir)).filter((name) => name.startsWith('arriving'))).toEqual([])
})

test('a run that fails while a later one runs doesn’t set the status', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  await forge.app.db.updateTable('projects').set({ import_status: 'scheduled' }).where('id', '=', project.id).execute()
  const bring = async () => {
    await openStagedImport(forge.app.git.open(project.id))
    throw new Error('the host is gone')
  }

  await expect(fillProject(forge.app, { project_id: project.id, user_id: forge.root.id }, { bring })).rejects.toThrow('the host is gone')

  expect((await forge.as(forge.root).get(`/projects/${project.id}`)).body.import_status).toBe('started')
})
