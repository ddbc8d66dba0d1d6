/** Something of everything that CI has, for tests that walk over all endpoints. */
import { archiveOfJob, makePackage, traceOfJob } from './ci-files-fixtures.ts'
import { makeCiPlaces } from './ci-places-fixtures.ts'
import type { Forge, TestProject, TestUser } from './forge.ts'
import { jobOf } from './jobs.ts'
import { runnerOf } from './runners.ts'

/** Variables of the project, the group and the instance, a running job, and their names in paths. */
export async function makeCi(forge: Forge, _user: TestUser, group: { id: number }, project: TestProject): Promise<Record<string, string>> {
  const root = forge.as(forge.root)
  const variable = { key: 'VARIABLE', value: 'a value' }
  for (const place of ['admin/ci', `groups/${group.id}`, `projects/${project.id}`]) await root.post(`/${place}/variables`, variable)
  const { body: main } = await root.get(`/projects/${project.id}/repository/branches/main`)
  const built = await jobOf(forge, project as TestProject, forge.root as TestUser, { status: 'success', ref: 'main', sha: main.commit.id })
  const { id: job_id, pipeline_id } = await jobOf(forge, project as TestProject, forge.root as TestUser, {
    status: 'failed',
    ref: 'feature/one',
    sha: main.commit.id,
  })
  for (const id of [built.id, job_id]) await archiveOfJob(forge, project, { id })
  await traceOfJob(forge, { id: job_id })
  const bridge = await jobOf(forge, project as TestProject, forge.root as TestUser, { status: 'success', name: 'bridge', pipeline_id })
  await forge.app.db.updateTable('commit_statuses').set({ kind: 'bridge' }).where('id', '=', bridge.id).execute()
  const places = await makeCiPlaces(forge, project)
  const started = forge.app.db.updateTable('pipelines').set({ schedule_id: Number(places.pipeline_schedule_id) })
  await started.where('id', '=', pipeline_id).execute()
  return {
    ...places,
    ...(await makePackage(forge, project)),
    ref_name: 'main',
    artifact_path: 'a.txt',
    job: 'test',
    variable: variable.key,
    pipeline_id: String(pipeline_id),
    job_id: String(job_id),
    ...(await makeRunners(forge, group, project as TestProject, job_id)),
  }
}

/** A runner of the project that has run a job, one of two projects, and one of the group. */
async function makeRunners(forge: Forge, group: { id: number }, project: TestProject, job_id: number): Promise<Record<string, string>> {
  const root = forge.as(forge.root)
  const runner = await runnerOf(forge, project)
  const second = await runnerOf(forge, project)
  await forge.anonymous.post('/runners/verify', { token: runner.token, system_id: 's_fixture' })
  await forge.app.db.updateTable('commit_statuses').set({ runner_id: runner.id }).where('id', '=', job_id).execute()
  await root.post(`/projects/${(await forge.project({ files: null })).id}/runners`, { runner_id: second.id })
  await root.post('/user/runners', { runner_type: 'group_type', group_id: group.id })
  return { runner_id: String(runner.id), second_runner_id: String(second.id) }
}
