/** Cars of merge trains as JSON. */
import { Type } from 'typebox'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { PipelineBasic } from '../../ci/pipelines/pipelines.schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { MergeRequestSimple } from '../../review/merge-requests/merge-requests.schema.ts'

export const MergeTrainCar = resource('MergeTrainCar', {
  id: Type.Integer(),
  merge_request: MergeRequestSimple,
  user: nullable(UserBrief),
  pipeline: nullable(PipelineBasic),
  created_at: Instant,
  updated_at: Instant,
  target_branch: Type.String(),
  status: oneOf('idle', 'stale', 'fresh', 'merging', 'merged', 'skip_merged'),
  merged_at: nullable(Instant),
  duration: nullable(Type.Integer({ description: 'Seconds from its adding until it was merged' })),
})
