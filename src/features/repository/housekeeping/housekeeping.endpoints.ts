/** Housekeeping of a repository on request of maintainers (spec 4.3). */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project, unarchived } from '../../../http/declare/rules.ts'
import type { AnyJob } from '../../../queue/queue.ts'
import { dailyHousekeepingJob, housekeepingJob } from './housekeeping.jobs.ts'
import { startHousekeeping } from './housekeeping.service.ts'

export const housekeeping = [
  endpoint('POST /projects/:id/housekeeping', {
    summary: 'Start housekeeping of a repository',
    operationId: 'startProjectHousekeeping',
    access: unarchived(project('run_housekeeping')),
    reply: Type.Null(),
    status: 201,
    fails: ['conflict'],
    async handle({ app, project }) {
      await startHousekeeping(app, project.id)
      return null
    },
  }),
]

export const housekeepingJobs: AnyJob[] = [housekeepingJob, dailyHousekeepingJob]
