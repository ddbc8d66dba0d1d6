/** The page of an environment: its current deployment and all earlier ones, each of which can be deployed again. */

import { environmentAddress, environmentsAddress, jobAddress } from '../../../addresses/ci.ts'
import { commitAddress } from '../../../addresses/repository.ts'
import type { CiDeployment, CiEnvironment, CommitStatus } from '../../../db/tables.ts'
import {
  type ApprovalState,
  approvalStateOf,
  lastDeploymentsOf,
  listDeployments,
  maySay,
  mayStop,
  stopActionOf,
} from '../../../features/ci/environments/environments.ts'
import { mayRunPipelines, statusesOfJobs } from '../../../features/ci/overviews/overviews.ts'
import { runnableRefs } from '../../../features/ci/pipelines/pipelines.ts'
import { isRetryable } from '../../../features/ci/processing/processing.ts'
import { versionOf } from '../../../features/instance/watching/watching.ts'
import { type UserInBrief, usersInBrief } from '../../../features/people/users/users.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import type { View } from '../../frame/declaration.ts'
import { dangerous, form, hidden, postButton } from '../../frame/forms.ts'
import { liveUpdates } from '../../frame/live.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { person } from '../../project/people.ts'
import { projectView } from '../../project/project-view.ts'
import { statusBadge } from '../../project/status-badge.ts'
import { refOf } from '../parts.ts'
import type { CiVisit } from '../seen.ts'
import { placeSentences as say } from '../sentences.ts'
import { titlesOf } from '../titles.ts'

const perPage = 20

type Seen = CiVisit & { environment: CiEnvironment }

interface Facts {
  current: CiDeployment | undefined
  jobs: ReadonlyMap<number, CommitStatus>
  users: ReadonlyMap<number, UserInBrief>
  titles: ReadonlyMap<string, string>
  mayRunOn: (on: { ref: string; tag: boolean }) => boolean
  /** The newest deployment that waits. */
  waiting: { id: number; state: ApprovalState } | null
}

/** At most eighteen statements, regardless of the number of deployments. */
export async function environmentView(seen: Seen, number: number): Promise<View> {
  const { app, project, level, user, repo, environment } = seen
  const order = { environment: environment.name, order_by: 'id', sort: 'desc' } as const
  const { rows, total } = await listDeployments(app.db, project.id, order, pageFrom({ page: number, per_page: perPage }))
  const [current, jobs, users, titles, mayRunOn, stopAction, version] = await Promise.all([
    lastDeploymentsOf(app.db, [environment.id]),
    statusesOfJobs(
      app.db,
      rows.flatMap(({ job_id }) => job_id ?? []),
    ),
    usersInBrief(
      app.db,
      rows.flatMap(({ user_id }) => user_id ?? []),
    ),
    titlesOf(repo, rows),
    runnableRefs(app, { project, level }),
    stopActionOf(app, environment),
    versionOf(app, 'pipelines', project.id),
  ])
  const waiting = await newestWaiting(seen, rows)
  const facts = { current: current.get(environment.id), jobs, users, titles, mayRunOn, waiting }
  const { name, tier, state, auto_stop_at } = environment
  const list = html`<ul class="rows">${rows.map((row) => rowOf(seen, row, facts))}</ul>`
  return projectView(
    { project, level, user, tab: 'environments', showsCode: false },
    {
      title: name,
      main: html`
        <div class="heading">
          <h1>
            ${isolated(name)} <span class="tag">${tier}</span>
            ${state !== 'available' && html`<span class="tag">${state}</span>`}
          </h1>
          <div class="actions">${openLink(environment)}</div>
        </div>
        ${liveUpdates('pipelines', project.id, version ?? '', 'refresh')}
        <p class="facts">
          <a href="${environmentsAddress(project)}">All environments</a>${
            auto_stop_at !== null && html`<span>stops ${ago(auto_stop_at)}</span>`
          }
        </p>
        ${rows.length === 0 ? emptyState(say.noDeployments) : list}
        ${pagesBelow(environmentAddress(project, environment), { page: number, per_page: perPage, total })}
        ${stopping(seen, stopAction)}
      `,
    },
  )
}

function rowOf(seen: Seen, deployment: CiDeployment, { current, jobs, users, titles, mayRunOn, waiting }: Facts): Html {
  const { app, project } = seen
  const { id, iid, sha, status, job_id, user_id, created_at, finished_at } = deployment
  const job = jobs.get(job_id ?? 0)
  const by = users.get(user_id ?? 0)
  const isCurrent = id === current?.id
  const mayRepeat = job !== undefined && isRetryable(job) && mayRunPipelines(seen) && mayRunOn(deployment)
  return html`
    <li>
      ${statusBadge(status)}
      <div class="what">
        <b>#${iid}</b> ${refOf(project, deployment)} ${isCurrent && html`<span class="tag added">current</span>`}
        <p>
          <a href="${commitAddress(project, sha)}"><code>${sha.slice(0, 8)}</code></a>
          ${isolated(titles.get(sha) ?? '')}
        </p>
        <p>
          ${by ? html`${person(app, by, 16)} · ` : null}${
            job ? html`<a href="${jobAddress(project, job.id)}">${isolated(job.name)} #${job.id}</a> · ` : null
          }${ago(finished_at ?? created_at)}
        </p>
      </div>
      <div class="facts">
        ${waiting?.id === id && approval(seen, deployment, waiting.state)}
        ${mayRepeat && repetition(seen, deployment, job, isCurrent || status !== 'success')}
      </div>
    </li>
  `
}

async function newestWaiting({ app, project, user }: Seen, rows: readonly CiDeployment[]): Promise<Facts['waiting']> {
  const newest = rows.find(({ status }) => status === 'blocked')
  const state = newest ? await approvalStateOf(app.db, project, newest, user?.id ?? null) : null
  return newest && state ? { id: newest.id, state } : null
}

/** Shows the number of missing approvals, with buttons for users who may approve or reject. */
function approval(seen: Seen, deployment: CiDeployment, state: ApprovalState): Html | null {
  const { project, token, user, environment } = seen
  const action = `${environmentAddress(project, environment)}/deployments/${deployment.id}/approval`
  const label = (word: string) => html`${word}<span class="unseen"> #${deployment.iid}</span>`
  const reject = form({ action, token, submit: t`Reject the deployment`, kind: 'danger' }, html`${hidden({ status: 'rejected' })}`)
  return html`
    ${state.missing > 0 && html`<span>${say.waits(state.missing)}</span>`}
    ${
      user &&
      maySay(state, deployment, user) &&
      html`${postButton(label(t`Approve`), { action, token, fields: { status: 'approved' } })}
        ${dangerous(label(t`Reject`), html`<p>${say.rejection}</p>${reject}`)}`
    }
  `
}

/** The current deployment can be repeated; an earlier one replaces it: a rollback. */
function repetition({ project, token }: Seen, { iid }: CiDeployment, { id }: CommitStatus, isSame: boolean): Html {
  const words = isSame ? t`Deploy again` : t`Roll back`
  const action = `${jobAddress(project, id)}/retry`
  return dangerous(
    html`${words}<span class="unseen"> #${iid}</span>`,
    html`<p>${isSame ? say.redeployment : say.rollback}</p>${form({ action, token, submit: words }, html``)}`,
  )
}

function stopping(seen: Seen, action: CommitStatus | null): Html | null {
  const { project, token, environment } = seen
  if (environment.state !== 'available' || !mayRunPipelines(seen) || !mayStop(seen, action)) return null
  const address = `${environmentAddress(project, environment)}/stop`
  return dangerous(
    t`Stop the environment`,
    html`
      <p>${action ? say.stopByJob(action.name) : say.stopAtOnce}</p>
      ${form({ action: address, token, submit: t`Stop the environment`, kind: 'danger' }, html``)}
    `,
  )
}

/** Link to the environment itself. */
export function openLink({ external_url, name }: CiEnvironment): Html | null {
  if (external_url === null || !/^https?:\/\//i.test(external_url)) return null
  return html`<a class="button" href="${external_url}" rel="nofollow noreferrer">Open<span class="unseen"> <bdi>${name}</bdi></span></a>`
}
