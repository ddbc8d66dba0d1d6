/**
 * Background work of environments: takes their URL from the job, asks for approvals of deployments, and stops environments when they expire or
 * their branch is deleted.
 */
import { findProject } from '../../../access/find.ts'
import { mayAct } from '../../../access/states.ts'
import { userById } from '../../../access/users.ts'
import { now } from '../../../db/instants.ts'
import { nullIfMissing } from '../../../failure.ts'
import { type AnyJob, type Job, job } from '../../../queue/queue.ts'
import { askForApprovals } from './approvals.service.ts'
import { environmentsOfBranches, lastDeploymentsOf } from './deployments.queries.ts'
import { urlError } from './environment-names.ts'
import { urlAfter } from './environment-urls.service.ts'
import { endingEnvironments, updateEnvironment } from './environments.queries.ts'
import { mayStop, stopActionOf, stopEnvironment } from './environments.service.ts'

/** Runs after a deployment; safe to repeat. */
export const updateUrlJob: Job<{ job_id: number }> = job('environments.update_url', {
  async handle(app, { job_id }) {
    const found = await urlAfter(app, job_id)
    if (found === null || urlError(found.url) !== null) return
    await updateEnvironment(app.db, found.environment_id, { external_url: found.url, updated_at: now() })
  },
})

/** Stops the environments of deleted branches, if whoever deleted these may stop them. */
export const stopForBranchesJob: Job<{ project_id: number; user_id: number; branches: string[] }> = job('environments.stop_for_branches', {
  async handle(app, { project_id, user_id, branches }) {
    const environments = await environmentsOfBranches(app.db, project_id, branches)
    const user = environments.length === 0 ? null : await userById(app.db, user_id)
    const access = user && mayAct(user) ? await findProject(app.db, String(project_id), user).catch(nullIfMissing) : null
    if (!access) return
    for (const environment of environments) {
      // Without a job it isn't known what must be cleaned up, so the environment is kept.
      const action = await stopActionOf(app, environment)
      if (action && mayStop(access, action)) await stopEnvironment(app, environment, user_id)
    }
  },
})

const atOnce = 50

/** On behalf of the user who deployed last. */
export const stopEndingJob = job<object>('environments.stop_ending', {
  every_ms: 60_000,
  async handle(app) {
    for (;;) {
      const ending = await endingEnvironments(app.db, now(), atOnce)
      const last = await lastDeploymentsOf(
        app.db,
        ending.map(({ id }) => id),
      )
      for (const environment of ending) {
        const user_id = last.get(environment.id)?.user_id ?? null
        if (user_id === null) await updateEnvironment(app.db, environment.id, { state: 'stopped', auto_stop_at: null, updated_at: now() })
        else await stopEnvironment(app, environment, user_id)
      }
      if (ending.length < atOnce) return
    }
  },
})

/** Safe to repeat: nobody gets a second todo or mail for the same deployment. */
export const askForApprovalsJob = job<{ project_id: number; deployment_id: number }>('environments.ask_for_approvals', {
  handle: (app, { project_id, deployment_id }) => askForApprovals(app, project_id, deployment_id),
})

export const environmentJobs: AnyJob[] = [updateUrlJob, stopForBranchesJob, stopEndingJob, askForApprovalsJob]
