/** Prepares writes of pipelines, jobs and CI variables, so that they succeed. */

import { archiveOfJob, makePackage } from '../../support/fixtures/ci-files-fixtures.ts'
import { jobOf } from '../../support/fixtures/jobs.ts'
import type { TestUser } from '../../support/forge.ts'
import { ciPlacesWrites } from './ci-places-writes.ts'
import { deliveryWrites } from './delivery-writes.ts'
import type { ContractFixtures } from './fixtures.ts'
import { runnerWrites } from './runner-writes.ts'
import type { Prepared, Write } from './writes.ts'

let counter = 0

/** @param idOf creates something at a path, and returns its id */
export function ciWrites(fixtures: ContractFixtures, idOf: (path: string, body: unknown) => Promise<string>): Prepared {
  const { forge, group, project } = fixtures
  const root = forge.as(forge.root)
  const freshVariable = () => ({ key: `FRESH_${++counter}`, value: 'a value' })
  const variableIn = async (place: string): Promise<Write> => {
    const { key, value } = freshVariable()
    await root.post(`${place}/variables`, { key, value })
    return { values: { variable: key } }
  }
  const places = { '/projects/:id': `/projects/${project.id}`, '/groups/:id': `/groups/${group.id}`, '/admin/ci': '/admin/ci' }
  const jobIn = async (status: 'failed' | 'manual' | 'success'): Promise<Write> => {
    const { id, pipeline_id } = await jobOf(forge, project, forge.root as TestUser, { status, ref: 'feature/one' })
    return { values: { job_id: String(id), pipeline_id: String(pipeline_id) } }
  }
  const toBuild = async (): Promise<Write> => {
    const branch = `ci-${++counter}`
    const file = { branch, start_branch: 'main', content: 'test: {script: [test]}', commit_message: 'Add CI' }
    await root.post(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, file)
    return { body: { ref: branch } }
  }
  const withArchive = async (): Promise<Write> => {
    const write = await jobIn('success')
    await archiveOfJob(forge, project, { id: Number(write.values?.job_id) })
    return write
  }
  const freshPackage = async (): Promise<Write> => ({ values: await makePackage(forge, project, `package-${++counter}`) })
  const requestToBuild = async (): Promise<Write> => {
    const source_branch = `ci-${++counter}`
    const content = 'test: {script: [test], rules: [{if: $CI_MERGE_REQUEST_IID}]}'
    const file = { branch: source_branch, start_branch: 'main', content, commit_message: 'Add CI' }
    await root.post(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, file)
    const { body } = await root.post(`/projects/${project.id}/merge_requests`, { source_branch, target_branch: 'main', title: 'CI' })
    return { values: { merge_request_iid: String(body.iid) } }
  }
  return {
    'POST /projects/:id/jobs/:job_id/artifacts/keep': withArchive,
    'DELETE /projects/:id/jobs/:job_id/artifacts': withArchive,
    'DELETE /projects/:id/packages/:package_id': freshPackage,
    'DELETE /projects/:id/packages/:package_id/package_files/:package_file_id': freshPackage,
    'POST /projects/:id/merge_requests/:merge_request_iid/pipelines': requestToBuild,
    'POST /projects/:id/pipeline': toBuild,
    'PUT /projects/:id/pipelines/:pipeline_id/metadata': () => ({ body: { name: 'Nightly' } }),
    'DELETE /projects/:id/pipelines/:pipeline_id': () => jobIn('success'),
    'POST /projects/:id/jobs/:job_id/retry': () => jobIn('failed'),
    'POST /projects/:id/jobs/:job_id/play': () => jobIn('manual'),
    'POST /projects/:id/jobs/:job_id/erase': () => jobIn('success'),
    ...variableWrites(),
    ...ciPlacesWrites(fixtures, idOf),
    ...deliveryWrites(fixtures),
    ...runnerWrites(fixtures),
  }
  function variableWrites(): Prepared {
    return Object.fromEntries(
      Object.entries(places).flatMap(([path, place]) => [
        [`POST ${path}/variables`, () => ({ body: freshVariable() })],
        [`PUT ${path}/variables/:key`, () => ({ body: { value: 'another value' } })],
        [`DELETE ${path}/variables/:key`, () => variableIn(place)],
      ]),
    )
  }
}
