/** Whether a merge request may stay in its queue: asked when it enters, when it is tested, when something changes, and when it is merged. */
import { findProject } from '../../../access/find.ts'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { mayAct } from '../../../access/states.ts'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { MergeTrainCar } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { mayMergeTo, type Pusher } from '../../repository/pushes/pushes.ts'
import { mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { type Mergeability, mergeabilityOf, type Obstacle, obstacleWords } from '../../review/mergeability/mergeability.ts'
import { isProposed } from '../merging/merging.ts'

/** Obstacles that a queue overcomes: it tests what is merged, onto what is there then. */
export const overcome: ReadonlySet<Obstacle> = new Set(['ci_must_pass', 'ci_still_running', 'unchecked', 'conflict', 'need_rebase'])

export type Verdict =
  /** `pusher` is the user who added it; `found` is for the target of the queue. */
  | { kind: 'stays'; pusher: Pusher; found: Mergeability }
  /** The end of a sentence. */
  | { kind: 'leaves'; because: string }
  /** It is being merged at this moment, or was. */
  | { kind: 'waits' }

const leaves = (because: string): Verdict => ({ kind: 'leaves', because })

export async function verdictOn(app: App, car: MergeTrainCar): Promise<Verdict> {
  const known = await mergeRequestById(app.db, car.merge_request_id)
  if (!known || known.state === 'locked' || known.state === 'merged') return { kind: 'waits' }
  if (known.state !== 'opened') return leaves('it was closed')
  const pusher = await pusherOf(app, car)
  if (!pusher) return leaves('who added it is no longer allowed to merge it')
  if (!pusher.project.merge_trains_enabled) return leaves('merge trains were turned off')
  const { target_branch, stacked_branch } = car
  const found = await mergeabilityOf(app, known, pusher.project, undefined, { into: target_branch })
  const { version, source_oid } = found
  if (found.merge_request.target_branch !== (stacked_branch ?? target_branch)) return leaves('its target branch was changed')
  const merge_request = { ...found.merge_request, target_branch }
  if (stacked_branch !== null && stacked_branch !== target_branch && (await isProposed(app.db, merge_request)))
    return leaves('another merge request proposes the same')
  const obstacle = found.obstacles.find((one) => !overcome.has(one))
  if (obstacle === 'locked') return { kind: 'waits' }
  if (obstacle) return leaves(clauseOf(obstacleWords[obstacle].what))
  if (version?.head_oid !== car.head_oid || source_oid !== car.head_oid) return leaves('its source branch was updated')
  return { kind: 'stays', pusher, found: { ...found, merge_request } }
}

/** `This merge request is a draft.` within a sentence. */
export function clauseOf(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '')
}

/** Null if they may not merge it any longer. */
export async function pusherOf(
  app: App,
  { user_id, project_id, target_branch }: Pick<MergeTrainCar, 'user_id' | 'project_id' | 'target_branch'>,
): Promise<Pusher | null> {
  const user = user_id === null ? null : await userById(app.db, user_id)
  const access = user && (await findProject(app.db, String(project_id), user).catch(nullIfMissing))
  if (!user || !access || !mayAct(user) || !canSeeMergeRequests(access, user)) return null
  const pusher = { user, ...access }
  return (await mayMergeTo(app, pusher, target_branch)) ? pusher : null
}
