/** Rules for whole pipelines (`workflow`) and for jobs that exclude each other (`resource_group`), from the push to the end. */
import { expect, test } from 'vitest'
import { builtProject, pipelineOf, runNamed, statusesOf, takeNamed } from '../../../../test/support/fixtures/built-pipelines.ts'
import { jobOf } from '../../../../test/support/fixtures/jobs.ts'

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

test.each(['block', 'ban', 'deactivate'])(
  '%s ends the jobs of an account, also those that wait, and leaves those of others',
  async (act) => {
    const file =
      'workflow: {auto_cancel: {on_new_commit: none}}\na: {script: [x], retry: 2}\nb: {script: [x]}\nc: {script: [x], needs: [a]}\nd: {script: [x], when: manual}'
    const { forge, as, at, project } = await builtProject(file)
    const { db } = forge.app
    const away = await forge.user()
    await as.post(`${at}/members`, { user_id: away.id, access_level: 30 })
    const of = async (caller: typeof as) => (await caller.post(`${at}/pipeline`, { ref: 'topic' })).body.id as number
    const [own, other] = [await of(forge.as(away)), await of(as)]
    await takeNamed(db, own, 'a')
    await db.updateTable('commit_statuses').set({ author_id: away.id }).where('pipeline_id', '=', other).where('name', '=', 'b').execute()
    const { token, pipeline_id: deploying } = await jobOf(forge, project, away)
    const releases = async () => (await forge.anonymous.get(`${at}/releases`, { headers: { 'job-token': token } })).status
    expect(await releases()).toBe(200)

    // Nobody who was seen lately is deactivated.
    await db.updateTable('users').set({ last_activity_on: null, current_sign_in_at: null }).where('id', '=', away.id).execute()
    expect((await forge.as(forge.root).post(`/users/${away.id}/${act}`)).status).toBe(201)
    expect(await releases()).toBe(403)
    await forge.drain()

    expect(await statusesOf(db, own)).toEqual(['a failed', 'b failed', 'c failed', 'd manual'])
    expect(await statusesOf(db, other)).toEqual(['a pending', 'b failed', 'c created', 'd manual'])
    expect(await statusesOf(db, deploying)).toEqual(['test failed'])
    const failed = await db.selectFrom('commit_statuses').select('failure_reason').where('pipeline_id', '=', own).orderBy('id').execute()
    expect(failed.map(({ failure_reason }) => failure_reason)).toEqual(['user_blocked', 'user_blocked', 'user_blocked', null])
    expect((await pipelineOf(db, own)).status).toBe('failed')
  },
)

test('jobs of somebody who is back before they are ended go on', async () => {
  const { forge, as, at } = await builtProject('a: {script: [x]}')
  const back = await forge.user()
  await as.post(`${at}/members`, { user_id: back.id, access_level: 30 })
  const id = (await forge.as(back).post(`${at}/pipeline`, { ref: 'topic' })).body.id
  for (const act of ['block', 'unblock']) await forge.as(forge.root).post(`/users/${back.id}/${act}`)
  await forge.drain()
  expect(await statusesOf(forge.app.db, id)).toEqual(['a pending'])
})
