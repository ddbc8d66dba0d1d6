/** The page of a pipeline. */

import { findProject } from '../../../access/find.ts'
import { mayReadJobs } from '../../../access/jobs.ts'
import { may } from '../../../access/permissions.ts'
import { jobAddress, pipelineAddress } from '../../../addresses/ci.ts'
import { commitAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { downstreamOf, jobsOfPipeline, type LinkedPipeline, type ShownJob, upstreamOf } from '../../../features/ci/overviews/overviews.ts'
import { versionOf } from '../../../features/instance/watching/watching.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import { readCommits } from '../../../git/objects/read.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { View } from '../../frame/declaration.ts'
import { dangerous, form, postButton } from '../../frame/forms.ts'
import { liveUpdates } from '../../frame/live.ts'
import { emptyState, icon, isolated, navigation } from '../../frame/parts.ts'
import { person } from '../../project/people.ts'
import { projectView } from '../../project/project-view.ts'
import { statusBadge, statusIcon, statusWords } from '../../project/status-badge.ts'
import { jobRow, needsOf } from '../jobs/job-row.ts'
import { duration, refOf, shownStatus, sourceWords } from '../parts.ts'
import { mayRunOn, type PipelineSeen } from '../seen.ts'
import { failureReasons, sentences } from '../sentences.ts'
import { graphOf, stagesIn } from './graph.ts'
import { statusOfAll } from './stages.ts'

type Tab = 'graph' | 'jobs' | 'failures' | 'tests'

const endedStatuses = ['success', 'failed', 'canceled', 'skipped']
const hasEnded = (status: string) => endedStatuses.includes(status)

/** The graph of the jobs. */
export async function graphView(seen: PipelineSeen): Promise<View> {
  const { app, pipeline, user } = seen
  const [jobs, downstream, upstream, mayRun] = await Promise.all([
    jobsOfPipeline(app.db, pipeline.id, { retried: false }),
    downstreamOf(app.db, pipeline.id),
    upstreamOf(app.db, pipeline.id),
    mayRunOn(app, seen, pipeline),
  ])
  const linked = await visibleOnes(app, user, [...downstream, ...(upstream ? [upstream] : [])])
  const drawn = jobs.map((job) => ({
    name: job.name,
    stage: job.stage,
    needs: needsOf(job),
    content: boxOf(seen, job, mayRun),
  }))
  const statusOfStage = (names: readonly string[]) => {
    const those = jobs.filter(({ name }) => names.includes(name))
    return statusIcon(statusOfAll(those), `${count(those.length, 'job')}`)
  }
  const main =
    jobs.length === 0
      ? emptyState(sentences.noJobs)
      : html`${graphOf(drawn, statusOfStage)}${drawn.some(({ needs }) => needs !== null) && html`<p class="hint">${sentences.graph}</p>`}`
  return framed(seen, { tab: 'graph', jobs, mayRun }, html`${main}${linksOf(linked, upstream, jobs)}`)
}

function boxOf({ project, level, token }: PipelineSeen, job: ShownJob, mayRun: boolean): Html {
  const { id, name, kind, target_url } = job
  const status = shownStatus(job)
  const label = html`${statusIcon(status)} <bdi class="job-name">${name}</bdi>`
  const isShown = kind !== 'external' && mayReadJobs({ project, level })
  const href = isShown ? jobAddress(project, id) : kind === 'external' ? target_url : null
  const isElsewhere = kind === 'external'
  return html`<div class="job-box" title="${`${name}: ${statusWords(status)}`}">${
    href === null ? label : html`<a href="${href}"${isElsewhere && html` rel="nofollow noreferrer"`}>${label}</a>`
  }${mayRun && buttonOf(jobAddress(project, id), job, token)}</div>`
}

/** A small button for the action available on a job. */
function buttonOf(address: string, { status, kind, retried }: ShownJob, token: Html): Html | null {
  if (kind === 'external' || retried) return null
  const button = (does: string, picture: string, label: string) =>
    postButton(html`${icon(picture)}<span class="unseen">${label}</span>`, { action: `${address}/${does}`, token })
  if (status === 'manual' || status === 'scheduled') return button('play', 'play', t`Run`)
  if (status === 'pending' || status === 'running') return button('cancel', 'cross', t`Cancel`)
  return hasEnded(status) && status !== 'skipped' ? button('retry', 'retry', t`Retry`) : null
}

/** All jobs by stage, with times and needs. */
export async function jobsView(seen: PipelineSeen, retried: boolean): Promise<View> {
  const { app, project, pipeline, token } = seen
  const [jobs, mayRun] = await Promise.all([jobsOfPipeline(app.db, pipeline.id, { retried }), mayRunOn(app, seen, pipeline)])
  const others = `${pipelineAddress(project, pipeline.id)}/builds${retried ? '' : '?retried=true'}`
  const mayRead = mayReadJobs(seen)
  const main = html`<p><a href="${others}">${retried ? t`Hide repeated jobs` : t`Show repeated jobs too`}</a></p>${
    jobs.length === 0 && emptyState(sentences.noJobs)
  }${stagesIn(jobs).map(
    ({ name, jobs: those }) =>
      html`<h2><bdi>${name}</bdi></h2><ul class="rows">${those.map((job) => jobRow({ project, token, mayRun, mayRead }, job))}</ul>`,
  )}`
  return framed(seen, { tab: 'jobs', jobs: jobs.filter((job) => !job.retried), mayRun }, main)
}

/** The failed jobs, and why they failed. */
export async function failuresView(seen: PipelineSeen): Promise<View> {
  const { app, project, pipeline, token } = seen
  const [jobs, mayRun] = await Promise.all([jobsOfPipeline(app.db, pipeline.id, { retried: false }), mayRunOn(app, seen, pipeline)])
  const failed = jobs.filter(({ status }) => status === 'failed')
  const mayRead = mayReadJobs(seen)
  const main =
    failed.length === 0
      ? emptyState(t`No job of this pipeline has failed.`)
      : html`<ul class="rows">${failed.map((job) => jobRow({ project, token, mayRun, mayRead }, job))}</ul>`
  return framed(seen, { tab: 'failures', jobs, mayRun }, main)
}

interface Shown {
  tab: Tab
  /** The jobs without those that were retried. */
  jobs: readonly ShownJob[]
  mayRun: boolean
}

/** The parts of the page that all tabs of a pipeline share. */
export async function framed(seen: PipelineSeen, shown: Shown, main: Html): Promise<View> {
  const { app, project, level, user, repo, pipeline } = seen
  const { id, name, status, sha } = pipeline
  const [[commit], version] = await Promise.all([readCommits(repo, [sha]).catch(() => []), versionOf(app, 'pipeline', id)])
  const title = commit ? titleOf(commit.message) : ''
  return projectView(
    { project, level, user, tab: 'pipelines', showsCode: false },
    {
      title: t`Pipeline #${id}`,
      main: html`
        <div class="pipeline">
          <div class="heading">
            <h1>
              ${name === null ? t`Pipeline #${id}` : isolated(name)}${name !== null && html` <span class="hint">#${id}</span>`}
              ${statusBadge(status)}
            </h1>
            <div class="actions">${actionsOf(seen, shown)}</div>
          </div>
          ${liveUpdates('pipeline', id, version ?? '', 'refresh')}${factsOf(seen, title)}${problems(seen)}
          ${tabsOf(seen, shown)}${main}${deletionOf(seen)}
        </div>
      `,
    },
  )
}

function actionsOf({ project, pipeline, token }: PipelineSeen, { jobs, mayRun }: Shown): Html | null {
  if (!mayRun) return null
  const address = pipelineAddress(project, pipeline.id)
  const isOpen = jobs.some(({ kind, status }) => kind !== 'external' && !hasEnded(status) && status !== 'manual')
  const mayRetry = jobs.some(({ kind, status }) => kind !== 'external' && (status === 'failed' || status === 'canceled'))
  return html`
    ${mayRetry && postButton(html`${icon('retry')} Retry`, { action: `${address}/retry`, token })}${
      isOpen && postButton(html`${icon('cross')} Cancel`, { action: `${address}/cancel`, token })
    }
  `
}

/** For owners. */
function deletionOf({ project, pipeline, level, token }: PipelineSeen): Html | null {
  if (!may('delete_pipelines', level)) return null
  const action = `${pipelineAddress(project, pipeline.id)}/delete`
  return dangerous(
    t`Delete the pipeline`,
    html`<p>${sentences.deletion}</p>${form({ action, token, submit: t`Delete the pipeline`, kind: 'danger' }, html``)}`,
  )
}

function factsOf({ app, project, pipeline }: PipelineSeen, title: string): Html {
  const { sha, by, source, created_at, duration_s, queued_duration_s, finished_at, coverage } = pipeline
  const facts = [
    html`Started ${ago(created_at)}${by && html` by ${person(app, by)}`} (${sourceWords(source)})`,
    finished_at !== null && html`ended ${ago(finished_at)}`,
    duration_s !== null && t`took ${duration(duration_s)}`,
    queued_duration_s !== null && t`waited ${duration(queued_duration_s)}`,
    coverage !== null && t`coverage ${coverage} %`,
  ].filter((fact) => fact !== false)
  return html`
    <p class="facts">
      ${refOf(project, pipeline)} <a href="${commitAddress(project, sha)}"><code>${sha.slice(0, 8)}</code></a>
      ${isolated(title)}
    </p>
    <p class="facts">${facts.map((fact, index) => html`${index > 0 && ' · '}<span>${fact}</span>`)}</p>
  `
}

function reasonOf(reason: string | null): string {
  return failureReasons[reason ?? ''] ?? reason ?? ''
}

function problems({ pipeline: { yaml_errors, failure_reason } }: PipelineSeen): Html | null {
  if (yaml_errors === null && failure_reason === null) return null
  return html`
    <div class="problems">
      <p><b>${yaml_errors === null ? reasonOf(failure_reason) : t`The configuration is wrong`}</b></p>
      ${yaml_errors !== null && html`<pre class="message">${yaml_errors}</pre>`}
    </div>
  `
}

function tabsOf({ project, pipeline }: PipelineSeen, { tab, jobs }: Shown): Html {
  const address = pipelineAddress(project, pipeline.id)
  const failed = jobs.filter(({ status }) => status === 'failed').length
  return navigation(
    t`Pipeline`,
    [
      { label: t`Graph`, href: address, isCurrent: tab === 'graph' },
      { label: t`Jobs`, href: `${address}/builds`, isCurrent: tab === 'jobs', count: jobs.length },
      { label: t`Failed jobs`, href: `${address}/failures`, isCurrent: tab === 'failures', count: failed },
      { label: t`Tests`, href: `${address}/test_report`, isCurrent: tab === 'tests' },
    ],
    'tabs second',
  )
}

/** The pipelines of projects in which the viewer may see pipelines. One look-up per project. */
async function visibleOnes(app: App, user: User | null, links: readonly LinkedPipeline[]): Promise<LinkedPipeline[]> {
  const ids = [...new Set(links.map(({ project_id }) => project_id))].slice(0, 20)
  const seen = await Promise.all(
    ids.map((id) =>
      findProject(app.db, String(id), user).then(
        (access) => mayReadJobs(access),
        () => false,
      ),
    ),
  )
  return links.filter(({ project_id }) => seen[ids.indexOf(project_id)] === true)
}

/** The pipeline that started this one, and those it has started. */
function linksOf(visible: readonly LinkedPipeline[], upstream: LinkedPipeline | null, jobs: readonly ShownJob[]): Html | null {
  if (visible.length === 0) return null
  const row = ({ id, full_path, status, job_id }: LinkedPipeline) => {
    const by = jobs.find((job) => job.id === job_id)
    return html`
      <li>
        ${statusBadge(status)}
        <div class="what">
          <a href="${pipelineAddress({ full_path }, id)}">${full_path} #${id}</a>
          ${by ? html`<p>started by <bdi>${by.name}</bdi></p>` : null}
        </div>
      </li>
    `
  }
  const below = visible.filter((one) => one !== upstream)
  const above = upstream && visible.includes(upstream)
  return html`
    ${above && upstream && html`<h2>Started by</h2><ul class="rows">${row(upstream)}</ul>`}${
      below.length > 0 &&
      html`
        <h2>Downstream pipelines</h2>
        <ul class="rows">${below.map(row)}</ul>
      `
    }
  `
}
