/** Clients of the interface that know nothing of us, unmodified: pipelines, jobs and all that belongs to them. */
import { Gitlab } from '@gitbeaker/rest'
import { expect } from 'vitest'
import { inFullRun } from '../support/run/tiers.ts'
import { clientTest, clientTestIf } from './client-test.ts'
import { python, ruby, runs } from './programs.ts'

const others = inFullRun('1 to 3 s of processor each. clients.test.ts has each client in the gate, and src/ asks for what they ask.')

clientTestIf(python !== undefined)('python3-gitlab', others, async (forge) => {
  expect(await runs(forge, python as string, 'python_ci.py')).toBe('all is well')
})

clientTestIf(ruby !== undefined)('ruby-gitlab', others, async (forge) => {
  expect(await runs(forge, ruby as string, 'ruby_ci.rb')).toBe('all is well')
})

clientTest('@gitbeaker/rest', others, async (forge) => {
  const owner = await forge.user()
  // The pipeline of the push may come while this test is at work: it neither cancels another one, nor has jobs that the runner would get.
  const own = 'workflow: {auto_cancel: {on_new_commit: none}}\n'
  const file = `${own}build: {script: [make], environment: {name: live}}\nhand: {stage: deploy, script: [make], when: manual}\n`
  const project = await forge.project({ owner, commits: [{ message: 'Begin [skip ci]', files: { '.gitlab-ci.yml': file } }] })
  const { id } = project
  const api = new Gitlab({ host: await forge.url(), token: owner.token })

  const runner = await api.Users.createCIRunner('project_type', { projectId: id, tagList: ['fast'], runUntagged: true })
  expect((await api.Runners.edit(runner.id, { description: 'renamed' })).description).toBe('renamed')
  expect((await api.Runners.all({ projectId: id })).map((one) => one.id)).toEqual([runner.id])

  const pipeline = await api.Pipelines.create(id, 'main', { variables: [{ key: 'GIVEN', value: '1', variable_type: 'env_var' }] })
  expect((await api.Pipelines.allVariables(id, pipeline.id)).map(({ key }) => key)).toEqual(['GIVEN'])
  const given = await forge.anonymous.post('/jobs/request', { token: runner.token })
  expect(given.status).toBe(201)
  const { id: job, token } = given.body
  const body = Buffer.from('hello')
  const headers = { 'job-token': token, 'content-range': '0-4' }
  await fetch(`${await forge.url()}/api/v4/jobs/${job}/trace`, { method: 'PATCH', headers, body })
  await forge.anonymous.put(`/jobs/${job}`, { token, state: 'success' })
  expect((await api.Jobs.show(id, job)).status).toBe('success')
  expect(await api.Jobs.showLog(id, job)).toBe('hello')
  expect((await api.Runners.allJobs(runner.id)).map((one) => one.id)).toEqual([job])
  expect((await api.Pipelines.show(id, 'latest')).ref).toBe('main')
  expect((await api.Pipelines.showTestReportSummary(id, pipeline.id)).total).toMatchObject({ count: 0 })
  const manual = () => api.Jobs.all(id, { pipelineId: pipeline.id, scope: 'manual' })
  // The next stage begins in the background.
  await expect.poll(async () => (await manual()).length).toBe(1)
  const [hand] = await manual()
  expect((await api.Jobs.play(id, hand?.id as number)).status).toBe('pending')
  expect((await api.Jobs.cancel(id, hand?.id as number)).status).toBe('canceled')
  // The other job waits to be played again.
  expect((await api.Pipelines.retry(id, pipeline.id)).status).toBe('success')
  expect((await api.Jobs.retry(id, job)).status).toBe('pending')
  expect((await api.Pipelines.cancel(id, pipeline.id)).status).toBe('canceled')

  await api.ProjectVariables.create(id, 'PLACE', 'here', { masked: false, environmentScope: '*' })
  expect((await api.ProjectVariables.edit(id, 'PLACE', 'there')).value).toBe('there')
  const trigger = await api.PipelineTriggerTokens.create(id, 'for a machine')
  expect((await api.PipelineTriggerTokens.trigger(id, 'main', trigger.token, { variables: { BY: 'machine' } })).ref).toBe('main')
  const schedule = await api.PipelineSchedules.create(id, 'nightly', 'main', '0 1 * * *', { cronTimezone: 'Europe/Berlin' })
  await api.PipelineScheduleVariables.create(id, schedule.id, 'WHEN', 'night')
  expect((await api.PipelineSchedules.show(id, schedule.id)).variables).toMatchObject([{ key: 'WHEN' }])
  await api.PipelineSchedules.remove(id, schedule.id)

  const [live] = await api.Environments.all(id)
  expect(live?.name).toBe('live')
  expect((await api.Deployments.all(id, { status: 'success' })).map(({ ref }) => ref)).toEqual(['main'])
  expect((await api.Environments.stop(id, live?.id as number)).state).toBe('stopped')
  expect((await api.Lint.lint(id, 'a: {scrip: [make]}')).valid).toBe(false)
  await api.Pipelines.remove(id, pipeline.id)
  await api.Runners.remove({ runnerId: runner.id })
})
