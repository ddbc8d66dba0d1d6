/** Prepares writes of triggers, schedules, environments and deployments, so that they succeed. */
import { guarding } from '../../support/fixtures/ci-places-fixtures.ts'
import type { ContractFixtures } from './fixtures.ts'
import type { Prepared, Write } from './writes.ts'

let counter = 0

/** @param idOf creates something at a path, and returns its id */
export function ciPlacesWrites(
  { forge, project, group }: ContractFixtures,
  idOf: (path: string, body: unknown) => Promise<string>,
): Prepared {
  const at = `/projects/${project.id}`
  const root = forge.as(forge.root)
  const name = () => `fresh-place-${++counter}`
  const schedule = '/projects/:id/pipeline_schedules/:pipeline_schedule_id'
  const fresh = async (value: string, path: string, body: unknown): Promise<Write> => ({
    values: { [value]: await idOf(`${at}/${path}`, body) },
  })
  const deployment = () => ({ environment: name(), sha: 'main', ref: 'main', status: 'running' })
  /** With a file to run. */
  const triggered = async (): Promise<{ token: string; ref: string }> => {
    const branch = name()
    const file = { branch, start_branch: 'main', content: 'test: {script: [test]}', commit_message: 'Add CI' }
    await root.post(`${at}/repository/files/.gitlab-ci.yml`, file)
    const { body } = await root.post(`${at}/triggers`, { description: 'Fresh' })
    return { token: body.token, ref: branch }
  }
  const list = '/projects/:id/job_token_scope'
  const isOpen = { visibility: 'public' } as const
  /** On the list of that name. */
  const allowed = async (path: string, body: Record<string, number>): Promise<void> =>
    void (await root.post(`${at}/job_token_scope/${path}`, body))
  return {
    [`PATCH ${list}`]: () => ({ body: { enabled: true } }),
    [`POST ${list}/allowlist`]: async () => ({ body: { target_project_id: (await forge.project(isOpen)).id } }),
    [`POST ${list}/groups_allowlist`]: async () => ({ body: { target_group_id: (await forge.group(isOpen)).id } }),
    async [`DELETE ${list}/allowlist/:allowed_project_id`]() {
      const { id } = await forge.project(isOpen)
      await allowed('allowlist', { target_project_id: id })
      return { values: { allowed_project_id: String(id) } }
    },
    async [`DELETE ${list}/groups_allowlist/:allowed_group_id`]() {
      const { id } = await forge.group(isOpen)
      await allowed('groups_allowlist', { target_group_id: id })
      return { values: { allowed_group_id: String(id) } }
    },
    async 'POST /projects/:id/trigger/pipeline'() {
      return { body: await triggered() }
    },
    async 'POST /projects/:id/ref/:ref/trigger/pipeline'() {
      const { token, ref } = await triggered()
      return { body: { token }, values: { ref } }
    },
    'DELETE /projects/:id/triggers/:trigger_id': () => fresh('trigger_id', 'triggers', { description: 'Fresh' }),
    [`DELETE ${schedule}`]: () =>
      fresh('pipeline_schedule_id', 'pipeline_schedules', { description: 'Fresh', ref: 'main', cron: '@daily' }),
    [`POST ${schedule}/variables`]: () => ({ body: { key: `FRESH_${++counter}`, value: 'a value' } }),
    async [`DELETE ${schedule}/variables/:key`]() {
      const key = `FRESH_${++counter}`
      const { body } = await root.post(`${at}/pipeline_schedules`, { description: 'Fresh', ref: 'main', cron: '@daily' })
      await root.post(`${at}/pipeline_schedules/${body.id}/variables`, { key, value: 'a value' })
      return { values: { pipeline_schedule_id: String(body.id), variable: key } }
    },
    'POST /projects/:id/environments': () => ({ body: { name: name() } }),
    'DELETE /projects/:id/environments/:environment_id': () => fresh('environment_id', 'environments', { name: name() }),
    'POST /projects/:id/environments/:environment_id/stop': () => fresh('environment_id', 'environments', { name: name() }),
    'POST /projects/:id/deployments': () => ({ body: deployment() }),
    'PUT /projects/:id/deployments/:deployment_id': async () => ({
      ...(await fresh('deployment_id', 'deployments', deployment())),
      body: { status: 'success' },
    }),
    'DELETE /projects/:id/deployments/:deployment_id': () => fresh('deployment_id', 'deployments', { ...deployment(), status: 'failed' }),
    'POST /projects/:id/protected_environments': () => ({ body: { name: name(), deploy_access_levels: [{ access_level: 40 }] } }),
    async 'DELETE /projects/:id/protected_environments/:protected_environment'() {
      const protected_environment = name()
      await root.post(`${at}/protected_environments`, { name: protected_environment, deploy_access_levels: [{ access_level: 40 }] })
      return { values: { protected_environment } }
    },
    async 'POST /groups/:id/protected_environments'() {
      await root.delete(`/groups/${group.id}/protected_environments/staging`)
      return { body: { ...guarding, name: 'staging' } }
    },
    async 'DELETE /groups/:id/protected_environments/:protected_environment'() {
      const there = () => root.post(`/groups/${group.id}/protected_environments`, guarding)
      await there()
      return { after: there }
    },
    async 'POST /projects/:id/deployments/:deployment_id/approval'() {
      const deployment_id = await idOf(`${at}/deployments`, { ...deployment(), environment: guarding.name })
      await forge.app.db
        .updateTable('ci_deployments')
        .set({ status: 'blocked', user_id: null })
        .where('id', '=', Number(deployment_id))
        .execute()
      return { values: { deployment_id }, body: { status: 'approved' } }
    },
    'DELETE /projects/:id/freeze_periods/:freeze_period_id': () =>
      fresh('freeze_period_id', 'freeze_periods', { freeze_start: '0 23 * * 5', freeze_end: '0 7 * * 1' }),
  }
}
