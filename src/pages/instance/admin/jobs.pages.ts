/** The job queue: waiting, running and dead jobs. */

import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import { jobStates, pageOfJobs, queueFigures, removeJobs, runAgain } from '../../../features/instance/sidekiq/sidekiq.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type View } from '../../frame/declaration.ts'
import { dangerous, form, postButton } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, navigation } from '../../frame/parts.ts'
import { administration, adminView } from './admin-view.ts'
import { jobsChanged, sentences } from './sentences.ts'

const perPage = 50

/** The id of a job, or `dead` for all dead jobs. */
const which = { job: Type.String({ default: '', pattern: '^(dead|[1-9][0-9]{0,14})$' }) }

export const jobPages = [
  page('GET /admin/jobs', {
    access: administration(),
    query: { ...pageNumber, state: Type.String({ default: '' }) },
    show: ({ app, token, sent }) => jobsView(app, token, sent),
  }),
  action('POST /admin/jobs/run_again', {
    access: administration(),
    form: which,
    async act({ app, sent }) {
      return { redirect: '/admin/jobs', notice: jobsChanged(await runAgain(app, chosen(sent.job)), 'again') }
    },
  }),
  action('POST /admin/jobs/delete', {
    access: administration(),
    form: which,
    async act({ app, sent }) {
      return { redirect: '/admin/jobs', notice: jobsChanged(await removeJobs(app, chosen(sent.job)), 'deleted') }
    },
  }),
]

function chosen(job: string): number[] | 'dead' {
  return job === 'dead' ? job : [Number(job)]
}

async function jobsView(app: App, token: Html, sent: { page: number; state: string }): Promise<View> {
  const state = jobStates.find((known) => known === sent.state) ?? 'dead'
  const { counts } = await queueFigures(app.db)
  const { rows, total } = await pageOfJobs(app.db, state, pageFrom({ page: sent.page, per_page: perPage }))
  const labels = { dead: t`Dead`, waiting: t`Waiting`, running: t`Running` }
  const links = (['dead', 'waiting', 'running'] as const).map((key) => ({
    label: `${labels[key]} (${counts[key]})`,
    href: `/admin/jobs?state=${key}`,
    isCurrent: key === state,
  }))
  return adminView('jobs', {
    title: t`Jobs`,
    main: html`
      <h1>Jobs</h1>
      <p>${sentences.jobsAre}</p>
      ${navigation(t`Jobs by state`, links, 'tabs second')}${state === 'dead' && total > 1 && allDead(token)}
      ${total === 0 ? emptyState(sentences.noJobs) : html`<ul class="rows">${rows.map((job) => rowOf(job, token))}</ul>`}
      ${pagesBelow(`/admin/jobs?state=${state}`, { page: sent.page, per_page: perPage, total })}
    `,
  })
}

function allDead(token: Html): Html {
  return html`
    <div>${postButton(t`Run all again`, { action: '/admin/jobs/run_again', token, fields: { job: 'dead' } })}</div>
    ${dangerous(t`Delete all dead jobs`, html`<p>${sentences.jobDeletion}</p>${deletionOf('dead', t`Delete all`, token)}`)}
  `
}

function deletionOf(job: string, label: string, token: Html): Html {
  return form({ action: '/admin/jobs/delete', token, submit: label, kind: 'danger' }, html`<input type="hidden" name="job" value="${job}">`)
}

type ListedJob = Awaited<ReturnType<typeof pageOfJobs>>['rows'][number]

function rowOf({ id, name, state, attempts, run_at, created_at, last_error }: ListedJob, token: Html): Html {
  const changes = html`
    ${postButton(t`Run again`, { action: '/admin/jobs/run_again', token, fields: { job: `${id}` } })}
    ${dangerous(t`Delete`, html`<p>${sentences.jobDeletion}</p>${deletionOf(`${id}`, t`Delete job`, token)}`)}
  `
  return html`
    <li>
      <div class="what">
        <b>${name}</b>
        <span class="hint">#${id}</span>${last_error !== null && html`<pre class="message">${last_error}</pre>`}
      </div>
      <div class="facts">
        <span>${count(attempts, 'attempt')}</span><span>made ${ago(created_at)}</span>
        ${state === 'waiting' && html`<span>due ${ago(run_at)}</span>`}${state !== 'running' && changes}
      </div>
    </li>
  `
}
