/** What starts pipelines and what they deploy to, for tests that walk over all endpoints. */
import type { Forge } from './forge.ts'

/** One of each of them, and their names in paths. */
export async function makeCiPlaces(forge: Forge, project: { id: number }): Promise<Record<string, string>> {
  const root = forge.as(forge.root)
  const at = `/projects/${project.id}`
  const idOf = async (path: string, body: object) => String((await root.post(`${at}/${path}`, body)).body.id)
  const schedule = { description: 'Nightly', ref: 'main', cron: '0 4 * * *' }
  const pipeline_schedule_id = await idOf('pipeline_schedules', schedule)
  await root.post(`${at}/pipeline_schedules/${pipeline_schedule_id}/variables`, { key: 'VARIABLE', value: 'a value' })
  const deployment = { environment: 'review', sha: 'main', ref: 'main' }
  const created_at = new Date().toISOString()
  await forge.app.db
    .insertInto('ci_resource_groups')
    .values({ project_id: project.id, key: 'production', created_at, updated_at: created_at })
    .execute()
  const allowed = await forge.project()
  const allowedGroup = await forge.group()
  const scope = `${at}/job_token_scope`
  await root.post(`${scope}/allowlist`, { target_project_id: allowed.id })
  await root.post(`${scope}/groups_allowlist`, { target_group_id: allowedGroup.id })
  return {
    allowed_project_id: String(allowed.id),
    allowed_group_id: String(allowedGroup.id),
    pipeline_schedule_id,
    trigger_id: await idOf('triggers', { description: 'Machine' }),
    environment_id: await idOf('environments', { name: 'production' }),
    deployment_id: await idOf('deployments', { ...deployment, status: 'running' }),
    freeze_period_id: await idOf('freeze_periods', { freeze_start: '0 23 * * 5', freeze_end: '0 7 * * 1' }),
    resource_group: 'production',
    cron: '0 4 * * *',
    freeze_start: '0 23 * * 5',
    freeze_end: '0 7 * * 1',
    environment: 'review',
  }
}
