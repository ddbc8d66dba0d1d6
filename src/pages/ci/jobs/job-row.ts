/** A job as a row of a list. */

import { jobAddress } from '../../../addresses/ci.ts'
import type { ShownJob } from '../../../features/ci/overviews/overviews.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { postButton } from '../../frame/forms.ts'
import { icon, isolated } from '../../frame/parts.ts'
import { statusBadge } from '../../project/status-badge.ts'
import { durationOf, shownStatus } from '../parts.ts'
import { failureReasons, sentences } from '../sentences.ts'

export interface JobRowOptions {
  project: { full_path: string }
  token: Html
  mayRun: boolean
  mayRead: boolean
}

/** The names of the jobs that a job needs; null if it waits for all jobs of the earlier stages. */
export function needsOf({ needs }: Pick<ShownJob, 'needs'>): string[] | null {
  return needs === null ? null : (JSON.parse(needs) as string[])
}

export function jobRow({ project, token, mayRun, mayRead }: JobRowOptions, job: ShownJob): Html {
  const { id, name, kind, status, allow_failure, retried, description, target_url, failure_reason, created_at, finished_at } = job
  const needs = needsOf(job)
  const took = durationOf(job)
  const tags = JSON.parse(job.tags ?? '[]') as string[]
  const href = kind === 'external' ? target_url : mayRead ? jobAddress(project, id) : null
  return html`
    <li>
      ${statusBadge(shownStatus(job))}
      <div class="what">
        ${
          href === null
            ? html`<bdi>${name}</bdi>`
            : html`<a href="${href}"${kind === 'external' && html` rel="nofollow noreferrer"`}>${isolated(name)}</a>`
        }
        ${allow_failure && html`<span class="tag">${sentences.allowed}</span>`}${retried && html`<span class="tag">repeated</span>`}${
          kind === 'bridge' && html`<span class="tag">trigger</span>`
        }${tags.map((tag) => html` <span class="tag"><bdi>${tag}</bdi></span>`)}
        ${description !== null && html`<p>${isolated(description)}</p>`}
        ${
          needs !== null &&
          needs.length > 0 &&
          html`<p>needs ${needs.map((need, index) => html`${index > 0 && ', '}<bdi>${need}</bdi>`)}</p>`
        }
        ${status === 'failed' && failure_reason !== null && html`<p>${failureReasons[failure_reason] ?? failure_reason}</p>`}
      </div>
      <div class="facts">
        ${took !== null && html`<span title="Duration">${icon('clock')} ${took}</span>`}
        <span>${ago(finished_at ?? created_at)}</span>
        ${mayRun && kind !== 'external' && !retried && changesOfJob(jobAddress(project, id), status, token)}
      </div>
    </li>
  `
}

/** Buttons for the actions available on a job. */
export function changesOfJob(address: string, status: string, token: Html): Html | null {
  const button = (does: string, picture: string, label: string) =>
    postButton(html`${icon(picture)} ${label}`, { action: `${address}/${does}`, token })
  if (status === 'manual' || status === 'scheduled')
    return html`${button('play', 'play', t`Run`)}${status === 'scheduled' && button('cancel', 'cross', t`Cancel`)}`
  if (['created', 'waiting_for_resource', 'pending', 'running'].includes(status)) return button('cancel', 'cross', t`Cancel`)
  return ['success', 'failed', 'canceled'].includes(status) ? button('retry', 'retry', t`Retry`) : null
}
