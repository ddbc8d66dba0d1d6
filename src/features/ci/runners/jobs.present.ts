/** The jobs of a runner as JSON, each with its project. */
import { Type } from 'typebox'
import { webUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import { Instant, nullable, type Presented, resource } from '../../../http/parameters/schema.ts'
import { identitiesOf, ProjectIdentity } from '../../spaces/projects/projects.ts'
import type { JobOfRunnerRow } from './jobs.queries.ts'

const text = Type.String()

export const JobOfRunner = resource('JobOfRunner', {
  id: Type.Integer(),
  status: text,
  stage: text,
  name: text,
  ref: text,
  tag: Type.Boolean(),
  coverage: nullable(Type.Number()),
  allow_failure: Type.Boolean(),
  created_at: Instant,
  started_at: nullable(Instant),
  finished_at: nullable(Instant),
  duration: nullable(Type.Number({ description: 'Seconds' })),
  queued_duration: nullable(Type.Number({ description: 'Seconds' })),
  user: nullable(Type.Object({ id: Type.Integer(), name: text, username: text, web_url: text })),
  pipeline: Type.Object({ id: Type.Integer(), project_id: Type.Integer(), ref: text, sha: text, status: text, web_url: text }),
  web_url: text,
  project: nullable(ProjectIdentity),
})

/** Three statements, regardless of their number. */
export async function presentJobsOfRunner({ db, config }: App, rows: JobOfRunnerRow[]): Promise<Array<Presented<typeof JobOfRunner>>> {
  const projects = await identitiesOf(
    db,
    rows.map(({ project_id }) => project_id),
  )
  return rows.map((row) => {
    const { id, status, stage, name, ref, tag, coverage, allow_failure, created_at, started_at, finished_at } = row
    const { author_id, author_name, author_username, pipeline_id, project_id, sha } = row
    const project = projects.get(project_id) ?? null
    const page = webUrl(config, project?.path_with_namespace ?? '')
    return {
      id,
      status,
      stage,
      name,
      ref,
      tag,
      coverage,
      allow_failure,
      created_at,
      started_at,
      finished_at,
      duration: seconds(started_at, finished_at),
      queued_duration: seconds(row.queued_at, started_at),
      user:
        author_id === null || author_username === null
          ? null
          : { id: author_id, name: author_name ?? '', username: author_username, web_url: webUrl(config, author_username) },
      pipeline: {
        id: pipeline_id,
        project_id,
        ref: row.pipeline_ref,
        sha,
        status: row.pipeline_status,
        web_url: `${page}/pipelines/${pipeline_id}`,
      },
      web_url: `${page}/-/jobs/${id}`,
      project,
    }
  })
}

function seconds(from: string | null, to: string | null): number | null {
  return from === null ? null : ((to === null ? Date.now() : Date.parse(to)) - Date.parse(from)) / 1000
}
