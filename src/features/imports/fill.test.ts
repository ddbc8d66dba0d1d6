/** Filling a project whose job two processes run at once: one of them is first, and the other does no harm. */
import { expect, test } from 'vitest'
import { type Forge, type TestProject, testForge } from '../../../test/support/forge.ts'
import { git } from '../../../test/support/git.ts'
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
  const events = await forge.app.db.selectFrom('events').select('id').where('project_id', '=', project.id).execute()
  const { body } = await forge.as(forge.root).get(`/projects/${project.id}`)
  return [body.import_status, body.default_branch, await git(project.dir, 'rev-parse', 'main'), events.length]
}

test('a run that fails after another has come to its end leaves the repository of that', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const main = await git(project.dir, 'rev-parse', 'main')
  const events = await forge.app.db.selectFrom('events').select('id').where('project_id', '=', project.id).execute()

  const after = await overtaken(forge, project, () => Promise.reject(new Error('the host is gone')))

  expect(after).toEqual(['finished', 'main', main, events.length])
})

test('a run that ends well after another has leaves the repository, and tells nothing twice', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const main = await git(project.dir, 'rev-parse', 'main')
  const events = await forge.app.db.selectFrom('events').select('id').where('project_id', '=', project.id).execute()

  expect(await overtaken(forge, project, async () => 'main')).toEqual(['finished', 'main', main, events.length])
})
