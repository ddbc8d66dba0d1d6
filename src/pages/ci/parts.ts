/** Small parts of the CI pages: URLs, durations, refs of pipelines. */

import type { LocatedProject } from '../../access/find.ts'
import { mergeRequestAddress } from '../../addresses/merge-requests.ts'
import { addressAt } from '../../addresses/repository.ts'
import type { Pipeline } from '../../db/tables.ts'
import { branchRevision, tagRevision } from '../../git/refs/names.ts'
import { type Html, html } from '../../html/html.ts'
import { translated } from '../../html/sentences.ts'
import { icon, isolated } from '../frame/parts.ts'

type Of = Pick<LocatedProject, 'full_path'>

/** Seconds as `1:02:03`, at least minutes and seconds. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const two = (number: number) => String(number).padStart(2, '0')
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${two(minutes)}:${two(whole % 60)}`
}

/** The duration, so far if it is still running; null before it starts. */
export function durationOf({ started_at, finished_at }: { started_at: string | null; finished_at: string | null }): string | null {
  if (started_at === null) return null
  const end = finished_at === null ? Date.now() : Date.parse(finished_at)
  return duration((end - Date.parse(started_at)) / 1000)
}

const mergeRequestRef = /^refs\/merge-requests\/(\d+)\/(head|merge)$/

/** The branch, tag or merge request that a pipeline runs for, as a link. */
export function refOf(project: Of, { ref, tag }: Pick<Pipeline, 'ref' | 'tag'>): Html {
  const [, iid] = mergeRequestRef.exec(ref) ?? []
  if (iid !== undefined) return html`<a class="tag ref" href="${mergeRequestAddress(project, Number(iid))}">${icon('merge')} !${iid}</a>`
  return html`
    <a class="tag ref" href="${addressAt(project.full_path, 'tree', tag ? tagRevision(ref) : branchRevision(ref))}">${icon(
      tag ? 'tag' : 'branch',
    )}
      ${isolated(ref)}</a>
  `
}

const sources: Readonly<Record<string, string>> = translated({
  push: 'push',
  web: 'started here',
  trigger: 'trigger token',
  schedule: 'schedule',
  api: 'API',
  external: 'reported from elsewhere',
  pipeline: 'pipeline of another project',
  parent_pipeline: 'parent pipeline',
  merge_request_event: 'merge request',
})

/** The source of a pipeline, in words. */
export function sourceWords(source: string): string {
  return sources[source] ?? source
}

interface Stated {
  status: string
  allow_failure: boolean
  canceling_at?: string | null
}

/** The displayed status of a job: a failure that is allowed is a warning. */
export function shownStatus({ status, allow_failure, canceling_at = null }: Stated): string {
  if (status === 'running' && canceling_at !== null) return 'canceling'
  return status === 'failed' && allow_failure ? 'warning' : status
}
