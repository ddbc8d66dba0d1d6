/** Access to jobs: seeing, changing and erasing them, for endpoints and pages. */

import { findProject } from '../../../access/find.ts'
import { findJobToken } from '../../../access/job-tokens.ts'
import { may } from '../../../access/permissions.ts'
import { mayAct } from '../../../access/states.ts'
import type { CommitStatus, User } from '../../../db/tables.ts'
import { forbidden, notFound } from '../../../failure.ts'
import { machines } from '../../../http/declare/machines.ts'
import { type Access, type Condition, only, type ProjectGranted, type SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { sentToken } from '../job-tokens/job-tokens.ts'
import { jobsRun, jobsSeen, mayRunOn } from '../pipelines/pipelines.ts'
import { findShownJob, type Kind, type ShownJob } from './jobs.queries.ts'

const inPath = (kinds: readonly Kind[]) =>
  nested({ job_id: Id }, async ({ project }: ProjectGranted, { job_id }, app) => {
    const job = await findShownJob(app.db, project.id, job_id, kinds)
    if (!job) throw notFound()
    return { job }
  })

type OfJob = ProjectGranted & SignedIn & { job: ShownJob }

const ofItsRef: Condition<OfJob> = {
  description: 'those who may change its branch or tag',
  holds: ({ project, level, job }, { app }) => mayRunOn(app, { project, level }, job),
}

/** Whether a user who may change the job may also erase it. */
export function mayErase({ level, user }: { level: number; user: User }, job: Pick<CommitStatus, 'author_id'>): boolean {
  return may('erase_all_jobs', level) || job.author_id === user.id
}

const starters: Condition<OfJob> = {
  description: 'maintainers, and who started the job',
  holds: ({ level, user, job }) => mayErase({ level, user }, job),
}

/** The running job whose token is sent. 403 without one; 404 if its user can no longer see the project. */
export const jobOfToken: Access<OfJob> = {
  ...machines('the machine that runs a job, by the token of the job'),
  async grant({ app, sent, openRepo }) {
    const token = sentToken(sent?.headers['job-token'], sent?.query.job_token)
    const found = token === null ? null : await findJobToken(app.db, token)
    if (!found || !mayAct(found.user)) throw forbidden()
    const access = await findProject(app.db, String(found.job.project_id), found.user)
    const { project } = access
    const job = await findShownJob(app.db, project.id, found.job.id, ['job'])
    if (!job) throw notFound()
    return { user: found.user, ...access, access, repo: openRepo(project.id), job }
  },
}

export const jobSeen = within(jobsSeen, inPath(['job']))
export const jobChanged = only(within(jobsRun, inPath(['job', 'bridge'])), ofItsRef)
export const jobErased = only(jobChanged, starters)
