/** What a file says of its pipelines as a whole, and of jobs that exclude each other, from the push to the end. */
import { expect, test } from 'vitest'
import { builtProject, pipelineOf, runNamed, statusesOf, takeNamed } from '../../../../test/support/fixtures/built-pipelines.ts'

test('a pipeline has the name that its file gives it, and a new commit cancels what may be interrupted', async () => {
  const { forge, as, at, pipeline_id } =
    await builtProject(`workflow: {name: "Build of $CI_COMMIT_BRANCH", auto_cancel: {on_new_commit: interruptible}}
a: {script: [x], interruptible: true}
b: {script: [x]}`)
  const { db } = forge.app
  await takeNamed(db, pipeline_id, 'a')
  await as.post(`${at}/repository/files/new`, { branch: 'topic', commit_message: 'New', content: 'x' })
  await forge.drain()

  expect((await as.get(`${at}/pipelines/${pipeline_id}`)).body.name).toBe('Build of topic')
  expect(await statusesOf(db, pipeline_id)).toEqual(['a canceled', 'b pending'])
})

test('the first job that fails cancels the others, where the file says so', async () => {
  const file = 'workflow: {auto_cancel: {on_job_failure: all}}\na: {script: [x]}\nb: {script: [x]}\nc: {script: [x], needs: [a]}'
  const { forge, pipeline_id } = await builtProject(file)
  const { db } = forge.app
  await takeNamed(db, pipeline_id, 'b')
  await runNamed(db, pipeline_id, 'a', 'failed')

  expect(await statusesOf(db, pipeline_id)).toEqual(['a failed', 'b canceled', 'c canceled'])
  expect((await pipelineOf(db, pipeline_id)).status).toBe('failed')
})

test('of jobs of one resource group the next is the oldest or the newest that waits, as the group says', async () => {
  const file = 'workflow: {auto_cancel: {on_new_commit: none}}\na: {script: [x], resource_group: prod}'
  const { forge, as, at, pipeline_id: second } = await builtProject(file)
  const { db } = forge.app
  const [first] = (await as.get(`${at}/pipelines?ref=main`)).body.map(({ id }: { id: number }) => id)
  const third = (await as.post(`${at}/pipeline`, { ref: 'topic' })).body.id
  const fourth = (await as.post(`${at}/pipeline`, { ref: 'topic' })).body.id
  const states = () => Promise.all([first, second, third, fourth].map(async (id) => (await statusesOf(db, id))[0]?.split(' ')[1]))
  const waiting = 'waiting_for_resource'

  expect(await states()).toEqual(['pending', waiting, waiting, waiting])
  await as.put(`${at}/resource_groups/prod`, { process_mode: 'newest_first' })
  await runNamed(db, first, 'a')
  await forge.drain()
  expect(await states()).toEqual(['success', waiting, waiting, 'pending'])
  await as.put(`${at}/resource_groups/prod`, { process_mode: 'oldest_first' })
  await runNamed(db, fourth, 'a', 'failed')
  await forge.drain()
  expect(await states()).toEqual(['success', 'pending', waiting, 'failed'])
})
