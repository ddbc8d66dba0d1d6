/** Queues webhooks for events of pipelines, jobs and deployments. */
import type { Tx } from '../../../db/database.ts'
import type { PipelineStatus } from '../../../db/tables.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { momentOfPipeline, momentsOfJobs } from '../payloads/payloads.ts'
import { deliver } from './deliver.ts'

/** These events have no acting user of their own, only the user of their pipeline. */
const user_id = null

function deliverJobs(tx: Tx, project_id: number, jobs: { id: number; status: PipelineStatus }[]): Promise<void> {
  return deliver(tx, { place: { project_id }, flag: 'job_events', event: 'Job Hook' }, async () => {
    const moments = await momentsOfJobs(
      tx,
      jobs.map(({ id }) => id),
    )
    return jobs.flatMap(({ id, status }) => {
      const moment = moments.get(id)
      return moment ? [{ facts: { kind: 'job', project_id, user_id, status, ...moment } }] : []
    })
  })
}

export async function deliverNewJobs(tx: Tx, { pipeline, jobs }: EventOf<'pipeline_created'>): Promise<void> {
  if (jobs.length === 0) return
  await deliverJobs(
    tx,
    pipeline.project_id,
    jobs.map(({ id }) => ({ id, status: 'created' })),
  )
}

export async function deliverJobChanges(tx: Tx, { project_id, changes }: EventOf<'job_statuses_changed'>): Promise<void> {
  const jobs = changes.filter(({ kind }) => kind === 'job').map(({ id, after }) => ({ id, status: after }))
  if (jobs.length > 0) await deliverJobs(tx, project_id, jobs)
}

export function deliverPipeline(tx: Tx, { pipeline }: EventOf<'pipeline_status_changed'>): Promise<void> {
  const { id, project_id } = pipeline
  return deliver(tx, { place: { project_id }, flag: 'pipeline_events', event: 'Pipeline Hook' }, async () => {
    const moment = await momentOfPipeline(tx, id)
    return moment ? [{ facts: { kind: 'pipeline', project_id, user_id, ...moment, pipeline } }] : []
  })
}

export function deliverDecision(tx: Tx, { deployment, approval }: EventOf<'deployment_decided'>): Promise<void> {
  const { project_id } = deployment
  return deliver(tx, { place: { project_id }, flag: 'deployment_events', event: 'Deployment Hook' }, () => [
    { facts: { kind: 'deployment', project_id, user_id: approval.user_id, deployment, approval } },
  ])
}

export function deliverDeployments(tx: Tx, { project_id, deployments }: EventOf<'deployments_changed'>): Promise<void> {
  return deliver(tx, { place: { project_id }, flag: 'deployment_events', event: 'Deployment Hook' }, () =>
    deployments.map((deployment) => ({ facts: { kind: 'deployment', project_id, user_id: deployment.user_id, deployment } })),
  )
}
