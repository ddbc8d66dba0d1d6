/** Events that start pipelines. */
import type { EventOf } from '../../../domain-events/events.ts'
import { branchOf, isCreation, isDeletion, tagOf } from '../../../git/refs/ref-updates.ts'
import type { PushedRef, PushToBuild } from './pipelines.jobs.ts'

/** If a push has more branches or tags, only the first ones get pipelines. */
const maxPipelines = 4

/** Null if the push has nothing that could have a pipeline. */
export function pushToBuild({
  project_id,
  user_id,
  at,
  changes,
  starts_pipelines,
  push_options,
}: EventOf<'refs_pushed'>): PushToBuild | null {
  if (starts_pipelines === false) return null
  const refs = changes.flatMap((change): PushedRef[] => {
    const branch = branchOf(change.ref)
    const ref = branch ?? tagOf(change.ref)
    if (ref === null || isDeletion(change)) return []
    return [{ ref, tag: branch === null, before: isCreation(change) ? null : change.before, after: change.after }]
  })
  return refs.length === 0 ? null : { project_id, user_id, at, refs: refs.slice(0, maxPipelines), ...(push_options && { push_options }) }
}

/** Child pipelines, and those that other projects start, don't replace running ones; a tag has only one commit. */
export function outdating({ pipeline: { id, source, tag, status } }: EventOf<'pipeline_created'>): { pipeline_id: number } | null {
  const stands = tag || status !== 'created' || source === 'parent_pipeline' || source === 'pipeline' || source === 'external'
  return stands ? null : { pipeline_id: id }
}
