/** Which pipelines follow from changes of merge requests. */
import type { EventOf } from '../../../domain-events/events.ts'

/** For the job that builds it. */
export function toBuild({ merge_request: { id, project_id }, actor_id }: EventOf<'merge_request_created' | 'merge_request_pushed'>) {
  return { project_id, merge_request_id: id, user_id: actor_id }
}

/** Merging into another branch has another result. */
export function toBuildAgain(event: EventOf<'merge_request_changed'>) {
  const { before, merge_request, actor_id } = event
  if (before.target_branch === merge_request.target_branch) return null
  return { project_id: merge_request.project_id, merge_request_id: merge_request.id, user_id: actor_id }
}
