/** The stages of pipelines: each has one status, computed from those of its jobs. */
import type { StageTally } from '../../../features/ci/overviews/overviews.ts'
import { type Html, html } from '../../../html/html.ts'
import { statusIcon } from '../../project/status-badge.ts'

interface Counted {
  status: string
  allow_failure: boolean
}

/** The first of these that any job has is the status of the stage. */
const deciding = ['running', 'pending', 'waiting_for_resource', 'scheduled', 'created'] as const

/** The combined status of several jobs. */
export function statusOfAll(jobs: readonly Counted[]): string {
  const open = deciding.find((status) => jobs.some((job) => job.status === status))
  const has = (status: string) => jobs.some((job) => job.status === status && !job.allow_failure)
  if (open === 'running' || open === 'pending') return open
  if (has('failed')) return 'failed'
  if (has('canceled')) return 'canceled'
  if (open) return open
  if (has('manual')) return 'manual'
  if (jobs.some(({ status }) => status === 'failed')) return 'warning'
  if (jobs.some(({ status }) => status === 'success')) return 'success'
  return jobs[0]?.status ?? 'skipped'
}

/** The stages of a pipeline in a list. */
export function stageIcons(address: string, tallies: readonly StageTally[]): Html | null {
  const names = [...new Set(tallies.map(({ stage }) => stage))]
  if (names.length === 0) return null
  return html`<ul class="stage-icons" aria-label="Stages">${names.map((name) => {
    const status = statusOfAll(tallies.filter(({ stage }) => stage === name))
    return html`<li><a href="${address}#stage-${encodeURIComponent(name)}">${statusIcon(status, name)}</a></li>`
  })}</ul>`
}
