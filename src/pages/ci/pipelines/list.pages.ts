/** The pipelines of a project, with filters in the URL. */

import { Type } from 'typebox'
import { pipelineAddress, pipelinesAddress } from '../../../addresses/ci.ts'
import { commitAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import type { PipelineStatus } from '../../../db/tables.ts'
import {
  jobReaders,
  listPipelines,
  mayRunPipelines,
  type ShownPipeline,
  type StageTally,
  stagesOf,
} from '../../../features/ci/overviews/overviews.ts'
import { versionOf } from '../../../features/instance/watching/watching.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { page } from '../../frame/declaration.ts'
import { type Choice, field, select, untouched } from '../../frame/forms.ts'
import { liveUpdates } from '../../frame/live.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon, isolated, navigation } from '../../frame/parts.ts'
import { person } from '../../project/people.ts'
import { projectView } from '../../project/project-view.ts'
import { statusBadge } from '../../project/status-badge.ts'
import { addressWith } from '../addresses.ts'
import { duration, refOf, sourceWords } from '../parts.ts'
import type { CiVisit } from '../seen.ts'
import { sentences } from '../sentences.ts'
import { titlesOf } from '../titles.ts'
import { stageIcons } from './stages.ts'

const perPage = 20

const text = (maxLength: number) => Type.String({ default: '', maxLength })
const query = { ...pageNumber, scope: text(20), status: text(30), ref: text(1_024), source: text(40), username: text(255) }

interface Sent {
  page: number
  scope: string
  status: string
  ref: string
  source: string
  username: string
}

const pendingOnes: PipelineStatus[] = ['created', 'waiting_for_resource', 'pending', 'manual', 'scheduled']
const scopes = (): Readonly<Record<string, readonly [label: string, statuses: PipelineStatus[] | undefined]>> => ({
  '': [t`All`, undefined],
  running: [t`Running`, ['running']],
  pending: [t`Waiting`, pendingOnes],
  finished: [t`Finished`, ['success', 'failed', 'canceled', 'skipped']],
})
const statuses = (): readonly Choice[] => [
  ['', t`Any`],
  ['success', t`Passed`],
  ['failed', t`Failed`],
  ['running', t`Running`],
  ['pending', t`Pending`],
  ['canceled', t`Canceled`],
  ['skipped', t`Skipped`],
  ['manual', t`Manual`],
  ['scheduled', t`Delayed`],
  ['created', t`Created`],
]
const sources = (): readonly Choice[] => [
  ['', t`Any`],
  ...['push', 'web', 'trigger', 'schedule', 'api', 'merge_request_event', 'pipeline', 'parent_pipeline', 'external'].map(
    (source): Choice => [source, sourceWords(source)],
  ),
]

export const pipelineListPages = [
  page('GET /:project/pipelines', {
    access: jobReaders,
    query,
    async show({ sent, ...visit }) {
      const { app, project, level, user, repo } = visit
      const wanted = statuses().some(([status]) => status !== '' && status === sent.status) ? [sent.status as PipelineStatus] : undefined
      const { ref, source, username } = sent
      const filter = { statuses: wanted ?? scopes()[sent.scope]?.[1], ref, source, username }
      const { rows, total } = await listPipelines(app.db, project.id, filter, pageFrom({ page: sent.page, per_page: perPage }))
      const [version, stages, titles] = await Promise.all([
        versionOf(app, 'pipelines', project.id),
        stagesOf(
          app.db,
          rows.map(({ id }) => id),
        ),
        titlesOf(repo, rows),
      ])
      const address = addressOf(visit, sent)
      const isFiltered = [sent.scope, sent.status, ref, source, username].some((value) => value !== '')
      const none = isFiltered
        ? emptyState(sentences.noneFit, html`<p><a href="${pipelinesAddress(project)}">All pipelines</a></p>`)
        : emptyState(sentences.noPipelines)
      return projectView(
        { project, level, user, tab: 'pipelines', showsCode: false },
        {
          title: t`Pipelines`,
          main: html`
            <div class="heading">
              <h1>Pipelines</h1>
              ${
                mayRunPipelines(visit) &&
                html`
                  <div class="actions">
                    <a class="button primary" href="${pipelinesAddress(project)}/new">${icon('play')} Run pipeline</a>
                  </div>
                `
              }
            </div>
            ${liveUpdates('pipelines', project.id, version ?? '', 'refresh')}${scopeTabs(visit, sent)}
            ${filters(visit, sent)}
            ${rows.length === 0 ? none : html`<ul class="rows pipelines">${rows.map((row) => rowOf(visit, row, stages, titles))}</ul>`}
            ${pagesBelow(address, { page: sent.page, per_page: perPage, total })}
          `,
        },
      )
    },
  }),
]

function addressOf({ project }: CiVisit, { scope, status, ref, source, username }: Sent): string {
  return addressWith(pipelinesAddress(project), { scope, status, ref, source, username })
}

function scopeTabs(visit: CiVisit, sent: Sent): Html {
  const links = Object.entries(scopes()).map(([scope, [label]]) => ({
    label,
    href: addressOf(visit, { ...sent, scope, status: '' }),
    isCurrent: scope === sent.scope && sent.status === '',
  }))
  return navigation(t`Pipelines by state`, links, 'tabs second')
}

function filters({ project }: CiVisit, sent: Sent): Html {
  const typed = { ...untouched, values: { status: sent.status, ref: sent.ref, source: sent.source, username: sent.username } }
  return html`
    <form class="filters" role="search" action="${pipelinesAddress(project)}">
      ${select(t`Status`, 'status', typed, statuses())}${field(t`Branch or tag`, 'ref', typed, { type: 'search' })}
      ${select(t`Started by`, 'source', typed, sources())}${field(t`User name`, 'username', typed, { type: 'search' })}
      <button>Filter</button>
    </form>
  `
}

function rowOf(
  { app, project }: CiVisit,
  pipeline: ShownPipeline,
  stages: readonly StageTally[],
  titles: ReadonlyMap<string, string>,
): Html {
  return pipelineRow(app, project, pipeline, { stages, title: titles.get(pipeline.sha) ?? '' })
}

/** A pipeline as a row of a list. */
export function pipelineRow(
  app: App,
  project: { full_path: string },
  pipeline: ShownPipeline,
  { stages, title }: { stages: readonly StageTally[]; title: string },
): Html {
  const { id, status, sha, by, source, name, duration_s, finished_at, created_at, yaml_errors } = pipeline
  const address = pipelineAddress(project, id)
  return html`
    <li>
      <span class="state-of">${statusBadge(status, address)}</span>
      <div class="what">
        <a href="${address}">#${id}${name !== null && html` ${isolated(name)}`}</a>
        ${refOf(project, pipeline)}${yaml_errors !== null && html` <span class="tag removed">configuration</span>`}
        <p><a href="${commitAddress(project, sha)}"><code>${sha.slice(0, 8)}</code></a> ${isolated(title)}</p>
        <p>${by ? person(app, by) : t`Somebody`} · ${sourceWords(source)} · ${ago(created_at)}</p>
      </div>
      ${stageIcons(
        address,
        stages.filter(({ pipeline_id }) => pipeline_id === id),
      )}
      <div class="facts">
        ${duration_s !== null && html`<span title="Duration">${icon('clock')} ${duration(duration_s)}</span>`}
        ${finished_at !== null && html`<span>ended ${ago(finished_at)}</span>`}
      </div>
    </li>
  `
}
