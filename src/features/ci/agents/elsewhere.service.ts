/**
 * Artifacts of other pipelines (`needs:pipeline`) and other projects (`needs:project`), limited to what the job's user and token have
 * access to.
 */
import { findProject, type LocatedProject } from '../../../access/find.ts'
import { reachesProject } from '../../../access/job-tokens.ts'
import { mayReadJobs } from '../../../access/jobs.ts'
import type { App } from '../../../app.ts'
import type { CrossDependency } from '../../../ci/plan.ts'
import { expand, expandedLookup, lookupIn } from '../../../ci/text/variables.ts'
import type { CiJob, User } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { artifactOf, latestJobWithArchive, mayReadArtifact } from '../artifacts/artifacts.ts'
import { succeededJobOf } from './payload.queries.ts'
import type { RunnerVariable } from './variables.ts'

/** A job can't run without its dependencies. */
export class MissingDependency extends Error {}

export interface ElsewhereFacts {
  project: LocatedProject
  job: CiJob
  user: User | null
  /** Names of pipelines, projects and refs may contain these. */
  variables: readonly RunnerVariable[]
}

/** The jobs whose artifacts it gets. Throws `MissingDependency` if one is missing, or not accessible to the job's user. */
export async function jobsElsewhere(
  app: App,
  wanted: readonly CrossDependency[],
  facts: ElsewhereFacts,
): Promise<{ id: number; name: string }[]> {
  const lookup = expandedLookup(lookupIn(facts.variables.map(({ key, value, raw = false }) => ({ key, value, raw }))))
  const jobs: { id: number; name: string }[] = []
  for (const need of wanted) {
    if (!need.artifacts) continue
    const named = (text: string) => expand(text, lookup).replaceAll('\0', '')
    const name = named(need.job)
    const id =
      'pipeline' in need
        ? await inPipeline(app, facts, named(need.pipeline), name)
        : await inProject(app, facts, named(need.project), named(need.ref), name)
    if (id === null) throw new MissingDependency(`needs artifacts of ${name}, which are not there`)
    jobs.push({ id, name })
  }
  return jobs
}

/** In this project: in the parent pipeline, or in another child of it. */
async function inPipeline({ db }: App, { project }: ElsewhereFacts, pipeline: string, name: string): Promise<number | null> {
  return /^\d{1,15}$/.test(pipeline) ? succeededJobOf(db, { project_id: project.id, pipeline_id: Number(pipeline), name }) : null
}

async function inProject(
  { db }: App,
  { job, user, project }: ElsewhereFacts,
  path: string,
  ref: string,
  name: string,
): Promise<number | null> {
  const access = user && (await findProject(db, path, user).catch(nullIfMissing))
  if (!access || !mayReadJobs(access)) return null
  if (access.project.id !== project.id && !(await reachesProject(db, job, access.project))) return null
  const id = await latestJobWithArchive(db, access.project.id, ref, name)
  const archive = id === null ? null : await artifactOf(db, id, 'archive')
  return archive && mayReadArtifact(access, archive) ? archive.job_id : null
}
