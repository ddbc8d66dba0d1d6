/** The statistics of a project as JSON. */
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import type { Project, StoredSize } from '../../../db/tables.ts'
import { type Measured, presentRooms, roomsOf } from '../../storage/quotas/quotas.ts'

type Counted = Pick<Project, 'commit_count' | 'repository_size' | 'wiki_size' | 'snippets_size' | 'lfs_objects_size'>

export function presentStatistics(project: Counted, stored: Omit<StoredSize, 'project_id'> = nothing) {
  const { commit_count, repository_size, wiki_size, snippets_size, lfs_objects_size } = project
  const { job_artifacts_size, packages_size, uploads_size, terraform_states_size, secure_files_size } = stored
  const files = job_artifacts_size + packages_size + uploads_size + terraform_states_size + secure_files_size
  return {
    commit_count,
    storage_size: repository_size + wiki_size + snippets_size + lfs_objects_size + files,
    repository_size,
    wiki_size,
    snippets_size,
    lfs_objects_size,
    job_artifacts_size,
    packages_size,
    uploads_size,
    terraform_states_size,
    secure_files_size,
  }
}

const nothing = { job_artifacts_size: 0, packages_size: 0, uploads_size: 0, terraform_states_size: 0, secure_files_size: 0 }

/** With the limits of what it stores, for those who may change its settings. */
export async function withLimits<P extends object>(app: App, project: Measured, level: number, presented: P): Promise<P> {
  if (!may('edit_project', level)) return presented
  return Object.assign(presented, { storage_limits: presentRooms(await roomsOf(app, project)) })
}
