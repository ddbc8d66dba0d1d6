/** The table of contents: every endpoint and every job of the service. Nothing is found by looking into folders. */
import type { Endpoint } from '../http/endpoint.ts'
import type { AnyJob } from '../queue/queue.ts'
import { branches } from './branches/branches.endpoints.ts'
import { commitComments } from './commit-comments/commit-comments.endpoints.ts'
import { commitChanges } from './commits/changes.endpoints.ts'
import { commits } from './commits/commits.endpoints.ts'
import { deployKeys } from './deploy-keys/deploy-keys.endpoints.ts'
import { fileChanges } from './files/changes.endpoints.ts'
import { files } from './files/files.endpoints.ts'
import { groups } from './groups/groups.endpoints.ts'
import { housekeeping, housekeepingJobs } from './housekeeping/housekeeping.endpoints.ts'
import { keys } from './keys/keys.endpoints.ts'
import { keyJobs } from './keys/keys.jobs.ts'
import { lfsJobs } from './lfs/lfs.jobs.ts'
import { members } from './members/members.endpoints.ts'
import { removeObjectsJob } from './objects/objects.jobs.ts'
import { projects } from './projects/projects.endpoints.ts'
import { projectJobs } from './projects/projects.jobs.ts'
import { protectedRefs } from './protected-refs/protected-refs.endpoints.ts'
import { describePushesJob } from './pushes/pushes.jobs.ts'
import { reconcilePushesJob } from './pushes/reconcile.ts'
import { archives } from './repository/archive.endpoints.ts'
import { comparisons } from './repository/compare.endpoints.ts'
import { repositoryFacts, repositoryFactsJobs } from './repository/facts.endpoints.ts'
import { repository } from './repository/repository.endpoints.ts'
import { settings } from './settings/settings.endpoints.ts'
import { statuses } from './statuses/statuses.endpoints.ts'
import { tags } from './tags/tags.endpoints.ts'
import { users } from './users/users.endpoints.ts'
import { version } from './version/version.endpoints.ts'

export const endpoints: Endpoint[] = [
  ...version,
  ...users,
  ...keys,
  ...groups,
  ...projects,
  ...members,
  ...repository,
  ...archives,
  ...comparisons,
  ...repositoryFacts,
  ...housekeeping,
  ...files,
  ...fileChanges,
  ...commits,
  ...commitChanges,
  ...commitComments,
  ...statuses,
  ...branches,
  ...protectedRefs,
  ...deployKeys,
  ...tags,
  ...settings,
]

export const jobs: AnyJob[] = [
  ...projectJobs,
  describePushesJob,
  reconcilePushesJob,
  ...repositoryFactsJobs,
  ...housekeepingJobs,
  ...keyJobs,
  removeObjectsJob,
  ...lfsJobs,
]
