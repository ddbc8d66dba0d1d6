/** Pipelines as JSON. */
import type { Static } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import { pipelineAddress } from '../../../addresses/ci.ts'
import { pageUrl } from '../../../addresses/links.ts'
import type { Config } from '../../../config.ts'
import type { Pipeline as PipelineRow, PipelineStatus } from '../../../db/tables.ts'
import { presentUserBrief, type UserInBrief } from '../../people/users/users.ts'
import type { Pipeline, PipelineBasic } from './pipelines.schema.ts'

type Located = Pick<LocatedProject, 'full_path'>

export function presentPipelineBasic(config: Config, project: Located, pipeline: PipelineRow): Static<typeof PipelineBasic> {
  const { id, iid, project_id, sha, ref, status, source, name, created_at, updated_at } = pipeline
  return {
    id,
    iid,
    project_id,
    sha,
    ref,
    status,
    source,
    name,
    created_at,
    updated_at,
    web_url: pageUrl(config, pipelineAddress(project, id)),
  }
}

export function presentPipeline(
  config: Config,
  project: Located,
  pipeline: PipelineRow & { user: UserInBrief | null },
): Static<typeof Pipeline> {
  const { id, status, coverage } = pipeline
  return Object.assign(presentPipelineBasic(config, project, pipeline), {
    before_sha: pipeline.before_sha ?? '0'.repeat(40),
    tag: pipeline.tag,
    yaml_errors: pipeline.yaml_errors,
    user: pipeline.user && presentUserBrief(config, pipeline.user),
    started_at: pipeline.started_at,
    finished_at: pipeline.finished_at,
    committed_at: pipeline.committed_at,
    duration: pipeline.duration_s,
    queued_duration: pipeline.queued_duration_s,
    coverage: coverage === null ? null : coverage.toFixed(2),
    detailed_status: detailedStatus(status, pipelineAddress(project, id)),
  })
}

const labels: Partial<Record<PipelineStatus, string>> = {
  success: 'passed',
  manual: 'waiting for manual action',
  scheduled: 'waiting for delayed job',
  waiting_for_resource: 'waiting for resource',
}

/** The form for clients that draw statuses. */
function detailedStatus(status: PipelineStatus, details_path: string): Static<typeof Pipeline>['detailed_status'] {
  const label = labels[status] ?? status
  const group = status.replaceAll('_', '-')
  return { icon: `status_${status}`, text: label, label, group, tooltip: label, has_details: true, details_path }
}
