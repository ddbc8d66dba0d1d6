/** Environments: current and earlier deployments, deploying again, and stopping. */

import { Type } from 'typebox'
import { may } from '../../../access/permissions.ts'
import { environmentAddress, environmentsAddress, jobAddress } from '../../../addresses/ci.ts'
import { commitAddress } from '../../../addresses/repository.ts'
import type { CiDeployment, CiEnvironment } from '../../../db/tables.ts'
import {
  decide,
  deploymentDecidedInEnvironment,
  environmentSeen,
  environmentStopped,
  environmentsSeen,
  lastDeploymentsOf,
  listEnvironments,
  stopEnvironment,
} from '../../../features/ci/environments/environments.ts'
import { mayRunPipelines, newestDeploymentsOf } from '../../../features/ci/overviews/overviews.ts'
import { versionOf } from '../../../features/instance/watching/watching.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type View } from '../../frame/declaration.ts'
import { postButton } from '../../frame/forms.ts'
import { liveUpdates } from '../../frame/live.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, isolated, navigation } from '../../frame/parts.ts'
import { projectView } from '../../project/project-view.ts'
import { statusBadge } from '../../project/status-badge.ts'
import { addressWith } from '../addresses.ts'
import { refOf } from '../parts.ts'
import type { CiVisit } from '../seen.ts'
import { placeSentences as say } from '../sentences.ts'
import { environmentView, openLink } from './environment-view.ts'

const perPage = 20

export const environmentPages = [
  page('GET /:project/environments', {
    access: environmentsSeen,
    query: { ...pageNumber, state: Type.String({ default: '', maxLength: 20 }) },
    show: ({ sent, ...visit }) => listView(visit, sent),
  }),
  page('GET /:project/environments/:environment_id', {
    access: environmentSeen,
    query: pageNumber,
    show: ({ sent, ...seen }) => environmentView(seen, sent.page),
  }),
  action('POST /:project/environments/:environment_id/deployments/:deployment_id/approval', {
    access: deploymentDecidedInEnvironment,
    form: { status: oneOfDefault('approved', 'rejected') },
    async act({ app, project, user, environment, deployment, sent: { status } }) {
      await decide(app, project, deployment, user, { status })
      return { redirect: environmentAddress(project, environment), notice: status === 'approved' ? say.approved : say.rejected }
    },
  }),
  action('POST /:project/environments/:environment_id/stop', {
    access: environmentStopped,
    async act({ app, project, user, environment }) {
      await stopEnvironment(app, environment, user.id)
      return { redirect: environmentAddress(project, environment), notice: say.stopping }
    },
  }),
]

async function listView(visit: CiVisit, sent: { page: number; state: string }): Promise<View> {
  const { app, project, level, user } = visit
  const states = sent.state === 'stopped' ? 'stopped' : 'available'
  const { rows, total } = await listEnvironments(app.db, project.id, { states }, pageFrom({ page: sent.page, per_page: perPage }))
  const ids = rows.map(({ id }) => id)
  const [newest, current, version] = await Promise.all([
    newestDeploymentsOf(app.db, ids),
    lastDeploymentsOf(app.db, ids),
    versionOf(app, 'pipelines', project.id),
  ])
  const links = [
    { label: t`Available`, href: environmentsAddress(project), isCurrent: states === 'available' },
    { label: t`Stopped`, href: `${environmentsAddress(project)}?state=stopped`, isCurrent: states === 'stopped' },
  ]
  const list = html`
    <ul class="rows">
      ${rows.map((row) => rowOf(visit, row, { newest: newest.get(row.id), current: current.get(row.id) }))}
    </ul>
  `
  return projectView(
    { project, level, user, tab: 'environments', showsCode: false },
    {
      title: t`Environments`,
      main: html`
        <h1>Environments</h1>
        ${liveUpdates('pipelines', project.id, version ?? '', 'refresh')}
        ${navigation(t`Environments by state`, links, 'tabs second')}
        ${rows.length === 0 ? emptyState(say.noEnvironments) : list}
        ${pagesBelow(addressWith(environmentsAddress(project), { state: sent.state }), { page: sent.page, per_page: perPage, total })}
      `,
    },
  )
}

interface Deployed {
  /** In any state. */
  newest: CiDeployment | undefined
  /** The current deployment. */
  current: CiDeployment | undefined
}

function rowOf(visit: CiVisit, environment: CiEnvironment, { newest, current }: Deployed): Html {
  const { project, token, level } = visit
  const { name, tier, state, auto_stop_at } = environment
  const what = newest
    ? html`
      <p>
        #${newest.iid} of ${refOf(project, newest)}
        <a href="${commitAddress(project, newest.sha)}"><code>${newest.sha.slice(0, 8)}</code></a>${
          newest.job_id !== null && html` by <a href="${jobAddress(project, newest.job_id)}">job #${newest.job_id}</a>`
        },
        ${ago(newest.finished_at ?? newest.created_at)}
      </p>
    `
    : html`<p>no deployment</p>`
  // As `mayStop`, without looking up the job of each.
  const mayStop = mayRunPipelines(visit) && (may('manage_deployments', level) || (current?.on_stop ?? null) !== null)
  const address = environmentAddress(project, environment)
  return html`
    <li>
      ${statusBadge(newest?.status ?? 'created')}
      <div class="what"><a href="${address}"><b>${isolated(name)}</b></a> <span class="tag">${tier}</span>${what}</div>
      <div class="facts">
        ${auto_stop_at !== null && html`<span>stops ${ago(auto_stop_at)}</span>`}${openLink(environment)}
        ${
          state === 'available' &&
          mayStop &&
          postButton(html`Stop<span class="unseen"> <bdi>${name}</bdi></span>`, { action: `${address}/stop`, token })
        }
      </div>
    </li>
  `
}
