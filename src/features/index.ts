/** The table of contents: every endpoint and every job of the service. Nothing is found by looking into folders. */
import type { Endpoint } from '../http/endpoint.ts'
import type { AnyJob } from '../queue/queue.ts'
import { branches } from './branches/branches.endpoints.ts'
import { commits } from './commits/commits.endpoints.ts'
import { files } from './files/files.endpoints.ts'
import { groups } from './groups/groups.endpoints.ts'
import { members } from './members/members.endpoints.ts'
import { projects } from './projects/projects.endpoints.ts'
import { projectJobs } from './projects/projects.jobs.ts'
import { describePushesJob } from './pushes/pushes.jobs.ts'
import { reconcilePushesJob } from './pushes/reconcile.ts'
import { repository } from './repository/repository.endpoints.ts'
import { tags } from './tags/tags.endpoints.ts'
import { users } from './users/users.endpoints.ts'
import { version } from './version/version.endpoints.ts'

export const endpoints: Endpoint[] = [
  ...version,
  ...users,
  ...groups,
  ...projects,
  ...members,
  ...repository,
  ...files,
  ...commits,
  ...branches,
  ...tags,
]

export const jobs: AnyJob[] = [...projectJobs, describePushesJob, reconcilePushesJob]
