/** Enqueues mail about deployments that wait for approvals, in the transaction that lets them wait, approves or rejects them. */
import type { Tx } from '../../../db/database.ts'
import type { Site } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { enqueue } from '../../../queue/queue.ts'
import { deploymentAskedJob, deploymentDecidedJob } from './deployment-mails.jobs.ts'

export async function mailOfWaiting(tx: Tx, event: EventOf<'deployment_approval_asked'>, { mail }: Site): Promise<void> {
  const { deployment, user_ids, missing } = event
  const { id: deployment_id, project_id } = deployment
  if (mail !== null) await enqueue(tx, deploymentAskedJob, { project_id, deployment_id, user_ids, missing })
}

export async function mailOfDecision(
  tx: Tx,
  { deployment, approval, missing }: EventOf<'deployment_decided'>,
  { mail }: Site,
): Promise<void> {
  const { id: deployment_id, project_id, user_id } = deployment
  const { user_id: actor_id, status, comment, created_at: at } = approval
  if (mail === null || user_id === null || user_id === actor_id) return
  await enqueue(tx, deploymentDecidedJob, { project_id, deployment_id, actor_id, status, comment, missing, at })
}
