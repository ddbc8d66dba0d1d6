/** The page of a job. */

import { may } from '../../../access/permissions.ts'
import { jobAddress, pipelineAddress } from '../../../addresses/ci.ts'
import { commitAddress } from '../../../addresses/repository.ts'
import { artifactsOfJobs } from '../../../features/ci/artifacts/artifacts.ts'
import { mayReadTrace } from '../../../features/ci/job-access/job-access.ts'
import { mayErase } from '../../../features/ci/jobs/jobs.ts'
import { findPipelineShown, jobsOfPipeline, type PlannedJob, runnerOf, type ShownJob } from '../../../features/ci/overviews/overviews.ts'
import { hasEnded } from '../../../features/ci/processing/processing.ts'
import { versionOf } from '../../../features/instance/watching/watching.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, size } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { View } from '../../frame/declaration.ts'
import { dangerous, form, postButton } from '../../frame/forms.ts'
import { liveUpdates } from '../../frame/live.ts'
import { isolated } from '../../frame/parts.ts'
import { projectView } from '../../project/project-view.ts'
import { statusBadge, statusIcon } from '../../project/status-badge.ts'
import { duration, durationOf, refOf, shownStatus } from '../parts.ts'
import { type JobSeen, mayRunOn } from '../seen.ts'
import { failureReasons, sentences } from '../sentences.ts'
import { changesOfJob } from './job-row.ts'
import { logView, type Wanted } from './log-view.ts'

export const logScript = 'log.js'

/** Ten statements, regardless of the size of the log and the number of jobs. */
export async function jobView(seen: JobSeen): Promise<View> {
  const { app, project, level, user, status, job } = seen
  const address = jobAddress(project, status.id)
  const [version, pipeline, siblings, runner, artifacts, mayRun] = await Promise.all([
    versionOf(app, 'job', status.id),
    findPipelineShown(app.db, project.id, status.pipeline_id),
    jobsOfPipeline(app.db, status.pipeline_id, { retried: true }),
    runnerOf(app.db, status.runner_id),
    artifactsOfJobs(app.db, [status.id]),
    mayRunOn(app, seen, status),
  ])
  const log = await logOrWhyNone(seen, address)
  const facts = html`${factsOf(seen, runner)}${artifactLinks(seen, address, artifacts)}${stageOf(seen, siblings)}`
  return projectView(
    { project, level, user, tab: 'pipelines', showsCode: false },
    {
      title: `${status.name} (#${status.id})`,
      scripts: [logScript],
      main: html`
        <div class="job">
          <div class="heading">
            <h1>
              ${isolated(status.name)} <span class="hint">#${status.id}</span>
              ${statusBadge(shownStatus({ ...status, canceling_at: job.canceling_at }))}
            </h1>
            <div class="actions">
              ${
                mayRun &&
                !status.retried &&
                html`
                  ${changesOfJob(address, status.status, seen.token)}${
                    isWaiting(status) && html`<a class="button" href="${address}/play">Run with variables</a>`
                  }
                `
              }
              <a class="button" href="${address}/raw">Raw log</a>
            </div>
          </div>
          <p class="facts">
            in pipeline <a href="${pipelineAddress(project, status.pipeline_id)}">#${status.pipeline_id}</a>
            ${pipeline && statusIcon(pipeline.status)} ${refOf(project, status)}
            <a href="${commitAddress(project, status.sha)}"><code>${status.sha.slice(0, 8)}</code></a>
          </p>
          ${liveUpdates('job', status.id, version ?? '', 'tell')}${reasonOf(seen)}
          <div class="job-columns">
            <div class="job-log">${log}</div>
            <aside aria-label="About this job">${facts}${mayRun && erasure(seen, address)}</aside>
          </div>
          ${job.erased_at !== null && html`<p class="hint">${sentences.erased}</p>`}
        </div>
      `,
    },
  )
}

function logOrWhyNone({ app, status, job, level }: JobSeen, address: string): Promise<Html> | Html {
  if (status.kind === 'bridge') return html`<p class="empty">${sentences.bridge}</p>`
  if (!mayReadTrace({ level }, job)) return html`<p class="empty">${sentences.debugLog}</p>`
  return logView(app, status, address, null)
}

/** The reason of its failure, or what it waits for. */
function reasonOf({ status, job }: JobSeen): Html | null {
  const { status: state, failure_reason } = status
  if (state === 'failed') {
    const sentence = failureReasons[failure_reason ?? ''] ?? failureReasons.unknown_failure ?? ''
    return html`<p class="job-reason">${sentence}${job.exit_code !== null && t` Exit code ${job.exit_code}.`}</p>`
  }
  if (state !== 'pending') return null
  const tags = JSON.parse(job.tags) as string[]
  return html`<p class="hint">${sentences.stuck}${tags.length > 0 && ` ${sentences.tags(tags.join(', '))}`}</p>`
}

function factsOf({ status, job }: JobSeen, runner: Awaited<ReturnType<typeof runnerOf>>): Html {
  const plan = JSON.parse(job.plan) as Partial<PlannedJob>
  const tags = JSON.parse(job.tags) as string[]
  const took = durationOf(status)
  const rows: Array<readonly [string, Html | string | null]> = [
    [t`Stage`, isolated(status.stage)],
    [t`Duration`, took],
    [t`Waited`, waited(status)],
    [t`Timeout`, job.timeout_s === null ? null : duration(job.timeout_s)],
    [t`Ended`, status.finished_at === null ? null : ago(status.finished_at)],
    [t`Starts`, status.status === 'scheduled' && job.scheduled_at !== null ? ago(job.scheduled_at) : null],
    [t`Runner`, runner && html`#${runner.id} ${isolated(runner.description ?? '')}`],
    [t`Tags`, tags.length === 0 ? null : html`${tags.map((tag) => html`<span class="tag"><bdi>${tag}</bdi></span> `)}`],
    [t`Coverage`, status.coverage === null ? null : `${status.coverage} %`],
    [t`Environment`, plan.environment ? isolated(plan.environment.name) : null],
    [t`Resource group`, plan.resource_group ? isolated(plan.resource_group) : null],
    [t`Needs`, needsOfPlan(plan)],
  ]
  return html`
    <h2>About</h2>
    <dl class="facts">${rows.map(([label, value]) => value !== null && html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>
  `
}

function needsOfPlan({ needs }: Partial<PlannedJob>): Html | null {
  if (!needs || needs.length === 0) return null
  return html`${needs.map(({ name }, index) => html`${index > 0 && ', '}<bdi>${name}</bdi>`)}`
}

function waited({ queued_at, started_at }: JobSeen['status']): string | null {
  return queued_at === null || started_at === null ? null : duration((Date.parse(started_at) - Date.parse(queued_at)) / 1000)
}

const isWaiting = ({ status }: JobSeen['status']) => status === 'manual' || status === 'scheduled'

/** The button that erases its log and artifacts, for users who may run the job. */
function erasure({ level, user, status, job, token }: JobSeen, address: string): Html | null {
  if (user === null || !mayErase({ level, user }, status) || !hasEnded(status.status) || job.erased_at !== null) return null
  const erase = form({ action: `${address}/erase`, token, submit: t`Erase the job`, kind: 'danger' }, html``)
  return dangerous(t`Erase the job`, html`<p>${sentences.erasing}</p>${erase}`)
}

function artifactLinks(seen: JobSeen, address: string, artifacts: Awaited<ReturnType<typeof artifactsOfJobs>>): Html | null {
  const kept = artifacts.filter(({ file_type }) => file_type !== 'metadata' && file_type !== 'trace')
  if (kept.length === 0) return null
  const archive = kept.find(({ file_type }) => file_type === 'archive')
  const expires = archive?.expires_at ?? null
  return html`
    <h2>Artifacts</h2>
    ${
      archive !== undefined &&
      html`
        <p>
          <a class="button" href="${address}/artifacts/browse">Browse</a>
          <a class="button" href="${address}/artifacts/download">Download</a>
        </p>
      `
    }
    <ul class="plain">
      ${kept.map(
        ({ file_type, filename, size: bytes }) =>
          html`
            <li>
              <bdi>${filename}</bdi> <span class="tag">${file_type}</span> <span class="hint">${size(bytes)}</span>
            </li>
          `,
      )}
    </ul>
    ${expires !== null && html`<p class="hint">expire ${ago(expires)}</p>`}
    ${changesOfArtifacts(seen, address, expires)}
  `
}

function changesOfArtifacts({ level, token }: JobSeen, address: string, expires: string | null): Html {
  const remove = form({ action: `${address}/artifacts/delete`, token, submit: t`Delete the artifacts`, kind: 'danger' }, html``)
  return html`${expires !== null && may('keep_artifacts', level) && postButton(t`Keep`, { action: `${address}/artifacts/keep`, token })}${
    may('delete_artifacts', level) && dangerous(t`Delete`, html`<p>${sentences.artifactDeletion}</p>${remove}`)
  }`
}

/** The other jobs of its stage, and its earlier runs. */
function stageOf({ project, status }: JobSeen, all: readonly ShownJob[]): Html | null {
  const link = (job: ShownJob) =>
    html`<li>${statusIcon(shownStatus(job))} ${
      job.id === status.id ? html`<b><bdi>${job.name}</bdi></b>` : html`<a href="${jobAddress(project, job.id)}"><bdi>${job.name}</bdi></a>`
    }${job.retried && html` <span class="hint">repeated, #${job.id}</span>`}</li>`
  const shown = all.filter(
    ({ kind, retried, stage, name }) => kind !== 'external' && (retried ? name === status.name : stage === status.stage),
  )
  return html`<h2>Stage <bdi>${status.stage}</bdi></h2><ul class="plain">${shown.slice(0, 200).map(link)}</ul>`
}

/**
 * A part of the log as a page of its own: the lines before those on the page of the job, or those after an offset, which the script
 * appends.
 */
export async function logPartView({ app, project, level, user, status }: JobSeen, wanted: Wanted): Promise<View> {
  const address = jobAddress(project, status.id)
  return projectView(
    { project, level, user, tab: 'pipelines', showsCode: false },
    {
      title: t`Log of ${status.name} (#${status.id})`,
      scripts: [logScript],
      main: html`
        <h1>Log of ${isolated(status.name)}</h1>
        <p><a href="${address}">Job #${status.id}</a></p>
        ${await logView(app, status, address, wanted)}
      `,
    },
  )
}
