/** Housekeeping of a project's repository, asked for by its maintainers (spec 4.3). */
import { Type } from 'typebox'
import { endpoint } from '../../../http/endpoint.ts'
import { unarchivedProject } from '../../../http/rules.ts'
import type { AnyJob } from '../../../queue/queue.ts'
import { dailyHousekeepingJob, housekeepingJob } from './housekeeping.jobs.ts'
import { startHousekeeping } from './housekeeping.service.ts'

export const housekeeping = [
  endpoint('POST /projects/:id/housekeeping', {
    summary: 'Start the housekeeping of a repository',
    access: unarchivedProject('maintainer'),
    reply: Type.Null(),
    status: 201,
    fails: { conflict: 409 },
    async handle({ app, project }) {
      await startHousekeeping(app, project.id)
      return null
    },
  }),
]

export const housekeepingJobs: AnyJob[] = [housekeepingJob, dailyHousekeepingJob]
