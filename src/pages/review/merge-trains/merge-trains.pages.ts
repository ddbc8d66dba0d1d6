/** The queues of merge requests of a project: what waits in each, what was merged by it, and their settings. */

import { Type } from 'typebox'
import { mayReadJobs } from '../../../access/jobs.ts'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { pipelineAddress } from '../../../addresses/ci.ts'
import { mergeRequestAddress, mergeTrainsAddress } from '../../../addresses/merge-requests.ts'
import { type DescribedCar, describeCars, pageOfCars, waitingByBranch } from '../../../features/commands/merge-trains/merge-trains.ts'
import { versionOf } from '../../../features/instance/watching/watching.ts'
import { changeProject } from '../../../features/spaces/projects/projects.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'
import { type Condition, only, type ProjectGranted, project, unarchived } from '../../../http/declare/rules.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type Visit } from '../../frame/declaration.ts'
import { liveUpdates } from '../../frame/live.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, navigation } from '../../frame/parts.ts'
import { person } from '../../project/people.ts'
import { projectView } from '../../project/project-view.ts'
import { statusBadge } from '../../project/status-badge.ts'
import { sentences, statusWords } from './sentences.ts'

const perPage = 50
const flag = Type.Boolean({ default: false })

const readers: Condition<ProjectGranted> = translated({
  description: 'those who can see the merge requests and the jobs of the project',
  holds: ({ project, level, user }) => canSeeMergeRequests({ project, level }, user) && mayReadJobs({ project, level }),
})

type TrainVisit = Visit & ProjectGranted

export const mergeTrainPages = [
  page('GET /:project/merge_trains', {
    access: only(project('visible'), readers),
    query: { ...pageNumber, branch: Type.String({ default: '', maxLength: 1_024 }), scope: Type.String({ default: '', maxLength: 20 }) },
    async show({ sent, ...visit }) {
      const { app, project, level, user } = visit
      const queues = await waitingByBranch(app.db, project.id)
      const target_branch = sent.branch || project.default_branch || (queues[0]?.target_branch ?? '')
      const scope = sent.scope === 'merged' ? 'complete' : 'active'
      const filter = { project_id: project.id, target_branch, scope, sort: scope === 'active' ? 'asc' : 'desc' } as const
      const paging = pageFrom({ page: sent.page, per_page: perPage })
      const { rows, total } = await pageOfCars(app.db, filter, paging)
      const cars = await describeCars(app.db, rows)
      const version = await versionOf(app, 'merge_trains', project.id)
      const address = mergeTrainsAddress(project, { branch: target_branch, ...(scope === 'complete' && { scope: 'merged' }) })
      const none = scope === 'active' ? sentences.empty : sentences.noneMerged
      const list = html`<ol class="rows">${cars.map((one, index) => carRow(visit, one, (sent.page - 1) * perPage + index + 1))}</ol>`
      return projectView(
        { project, level, user, tab: 'merge_trains', showsCode: false },
        {
          title: t`Merge queue`,
          main: html`
            <h1>Merge queue</h1>
            <p class="hint">${project.merge_trains_enabled ? sentences.what : sentences.off}</p>
            ${liveUpdates('merge_trains', project.id, version ?? '', 'refresh')}
            ${branchTabs(visit, queues, target_branch)}${scopeTabs(visit, target_branch, scope)}
            ${cars.length === 0 ? emptyState(none) : list}
            ${pagesBelow(address, { page: sent.page, per_page: perPage, total })}
          `,
        },
      )
    },
  }),
  action('POST /:project/settings/merge_trains', {
    access: unarchived(project('edit_project')),
    form: {
      merge_trains_enabled: flag,
      merge_trains_skip_train_allowed: flag,
      max_pipelines_per_merge_train: Type.Integer(),
      merge_train_batch_size: Type.Integer(),
    },
    async act({ app, user, project, sent }) {
      await changeProject(app, project, sent, user)
      return { redirect: `/${project.full_path}/settings/merge_requests`, notice: sentences.saved }
    },
  }),
]

/** The branches that have a queue, with the one that is shown. Null if it is the only one. */
function branchTabs(
  { project }: TrainVisit,
  queues: ReadonlyArray<{ target_branch: string; waiting: number }>,
  shown: string,
): Html | null {
  const others = queues.filter(({ target_branch }) => target_branch !== shown)
  if (others.length === 0) return null
  const own = queues.find(({ target_branch }) => target_branch === shown) ?? { target_branch: shown, waiting: 0 }
  const links = [own, ...others].map(({ target_branch, waiting }) => ({
    label: waiting === 0 ? target_branch : `${target_branch} ${waiting}`,
    href: mergeTrainsAddress(project, { branch: target_branch }),
    isCurrent: target_branch === shown,
  }))
  return navigation(t`Target branches`, links, 'tabs second')
}

function scopeTabs({ project }: TrainVisit, branch: string, scope: 'active' | 'complete'): Html {
  const links = [
    { label: t`Waiting`, href: mergeTrainsAddress(project, { branch }), isCurrent: scope === 'active' },
    { label: t`Merged`, href: mergeTrainsAddress(project, { branch, scope: 'merged' }), isCurrent: scope === 'complete' },
  ]
  return navigation(t`Queue`, links, 'tabs second')
}

function carRow({ app, project }: TrainVisit, { car, merge_request, user, pipeline }: DescribedCar, position: number): Html {
  const { merged_at, status, batch_id, id } = car
  const isTogether = merged_at === null && batch_id !== null && batch_id !== id
  const when = merged_at === null ? html`added ${ago(car.created_at)}` : html`was merged ${ago(merged_at)}`
  return html`
    <li>
      <div class="what">
        ${merged_at === null && html`<span class="hint">${position}.</span> `}<a
          href="${mergeRequestAddress(project, merge_request.iid)}"><bdi>${merge_request.title}</bdi></a>
        <p>
          !${merge_request.iid} · ${statusWords[status]}${isTogether && t` with those behind it`} ·
          ${when}${user && html` by ${person(app, user)}`}
        </p>
      </div>
      <div class="facts">${pipeline && statusBadge(pipeline.status, pipelineAddress(project, pipeline.id))}</div>
    </li>
  `
}
