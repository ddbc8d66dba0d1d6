/** Environments and deployments as JSON. */
import type { Static } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import { projectUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import type { CiDeployment, CiEnvironment } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { presentUserBrief, usersInBrief } from '../../people/users/users.ts'
import { presentProjects } from '../../spaces/projects/projects.ts'
import { lastDeploymentsOf } from './deployments.queries.ts'
import { environmentsById } from './environments.queries.ts'
import type { Deployment, Environment, EnvironmentBasic } from './environments.schema.ts'
import { type DeployableRow, deployablesOf } from './job-environments.queries.ts'

/** At most six statements, regardless of their number. */
export async function presentEnvironments(
  app: App,
  project: LocatedProject,
  rows: CiEnvironment[],
): Promise<Array<Presented<typeof Environment>>> {
  const [shown] = rows.length === 0 ? [] : await presentProjects(app, [project], null, { simple: true })
  return rows.map((row) => present(row, shown as Static<typeof Environment>['project'], undefined))
}

/** One environment, with its last deployment. */
export async function presentEnvironment(app: App, project: LocatedProject, row: CiEnvironment): Promise<Presented<typeof Environment>> {
  const [shown] = await presentProjects(app, [project], null, { simple: true })
  const last = (await lastDeploymentsOf(app.db, [row.id])).get(row.id)
  const [deployment = null] = last ? await presentDeployments(app, project, [last]) : []
  return present(row, shown as Static<typeof Environment>['project'], deployment)
}

function present(
  row: CiEnvironment,
  project: Static<typeof Environment>['project'],
  last_deployment: Static<typeof Deployment> | null | undefined,
): Presented<typeof Environment> {
  const { id, name, slug, external_url, description, state, tier, auto_stop_at, created_at, updated_at } = row
  return { id, name, slug, external_url, description, state, tier, auto_stop_at, created_at, updated_at, project, last_deployment }
}

function presentBasic({ id, name, slug, external_url }: CiEnvironment): Static<typeof EnvironmentBasic> {
  return { id, name, slug, external_url }
}

/** Three statements, regardless of their number. */
export async function presentDeployments(
  app: App,
  project: LocatedProject,
  rows: CiDeployment[],
): Promise<Array<Static<typeof Deployment>>> {
  const environments = await environmentsById(
    app.db,
    rows.map(({ environment_id }) => environment_id),
  )
  const ids = rows.flatMap(({ user_id }) => user_id ?? [])
  const users = await usersInBrief(app.db, ids)
  const jobs = await deployablesOf(
    app.db,
    rows.flatMap(({ job_id }) => job_id ?? []),
  )
  return rows.flatMap((row) => {
    const environment = environments.get(row.environment_id)
    if (!environment) return []
    const { id, iid, ref, sha, created_at, updated_at, status } = row
    const user = users.get(row.user_id ?? 0)
    const job = jobs.get(row.job_id ?? 0)
    return [
      {
        id,
        iid,
        ref,
        sha,
        created_at,
        updated_at,
        status,
        user: user ? presentUserBrief(app.config, user) : null,
        environment: presentBasic(environment),
        deployable: job ? presentDeployable(projectUrl(app.config, project), job) : null,
      },
    ]
  })
}

function presentDeployable(url: string, row: DeployableRow): Static<typeof Deployment>['deployable'] {
  const { id, status, stage, name, ref, tag, coverage, created_at, started_at, finished_at, pipeline_id, sha, pipeline_status } = row
  const pipeline = { id: pipeline_id, sha, ref, status: pipeline_status, web_url: `${url}/pipelines/${pipeline_id}` }
  return { id, status, stage, name, ref, tag, coverage, created_at, started_at, finished_at, web_url: `${url}/-/jobs/${id}`, pipeline }
}
