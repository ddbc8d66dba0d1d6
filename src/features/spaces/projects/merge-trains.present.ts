/** The settings of the queue of merge requests, as fields of a project. */
import type { Project } from '../../../db/tables.ts'

export function mergeTrainSettingsOf(project: Project) {
  return {
    merge_trains_enabled: project.merge_trains_enabled,
    merge_trains_skip_train_allowed: project.merge_trains_skip_train_allowed,
    max_pipelines_per_merge_train: project.max_pipelines_per_merge_train,
    merge_train_batch_size: project.merge_train_batch_size,
  }
}
