/** The pipeline schedules of a project: list, pause, run now, take ownership, delete. */

import { Type } from 'typebox'
import { pipelineAddress, scheduleAddress, schedulesAddress } from '../../../addresses/ci.ts'
import type { CiSchedule } from '../../../db/tables.ts'
import { jobReaders, mayRunPipelines } from '../../../features/ci/overviews/overviews.ts'
import {
  changeSchedule,
  deleteSchedule,
  lastPipelinesOfSchedules,
  listSchedules,
  mayChangeSchedule,
  playSchedule,
  scheduleChanged,
  scheduleRun,
} from '../../../features/ci/schedules/schedules.ts'
import { type UserInBrief, usersInBrief } from '../../../features/people/users/users.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type View } from '../../frame/declaration.ts'
import { dangerous, form, postButton } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon, isolated } from '../../frame/parts.ts'
import { person } from '../../project/people.ts'
import { projectView } from '../../project/project-view.ts'
import { statusBadge } from '../../project/status-badge.ts'
import { refOf } from '../parts.ts'
import type { CiVisit } from '../seen.ts'
import { placeSentences as say } from '../sentences.ts'
import { shortRef } from './short-ref.ts'

const perPage = 20

export const scheduleListPages = [
  page('GET /:project/pipeline_schedules', {
    access: jobReaders,
    query: pageNumber,
    show: ({ sent, ...visit }) => listView(visit, sent.page),
  }),
  action('POST /:project/pipeline_schedules/:pipeline_schedule_id/play', {
    access: scheduleRun,
    async act({ app, project, user, schedule }) {
      await playSchedule(app, schedule, user.id)
      return { redirect: schedulesAddress(project), notice: say.schedulePlayed }
    },
  }),
  action('POST /:project/pipeline_schedules/:pipeline_schedule_id/active', {
    access: scheduleChanged,
    form: { active: Type.Boolean() },
    async act({ app, project, schedule, sent: { active } }) {
      await changeSchedule(app, schedule, { active })
      return { redirect: schedulesAddress(project), notice: active ? say.scheduleOn : say.scheduleOff }
    },
  }),
  action('POST /:project/pipeline_schedules/:pipeline_schedule_id/take_ownership', {
    access: scheduleChanged,
    async act({ app, project, user, schedule }) {
      await changeSchedule(app, schedule, { owner_id: user.id })
      return { redirect: schedulesAddress(project), notice: say.scheduleOwned }
    },
  }),
  action('POST /:project/pipeline_schedules/:pipeline_schedule_id/delete', {
    access: scheduleChanged,
    async act({ app, project, schedule }) {
      await deleteSchedule(app.db, schedule.id)
      return { redirect: schedulesAddress(project), notice: say.scheduleDeleted }
    },
  }),
]

async function listView(visit: CiVisit, number: number): Promise<View> {
  const { app, project, level, user } = visit
  const { rows, total } = await listSchedules(app.db, project.id, undefined, pageFrom({ page: number, per_page: perPage }))
  const last = await lastPipelinesOfSchedules(
    app.db,
    rows.map(({ id }) => id),
  )
  const owners = await usersInBrief(
    app.db,
    rows.flatMap(({ owner_id }) => owner_id ?? []),
  )
  const address = schedulesAddress(project)
  const rowOf = (schedule: CiSchedule) => {
    const { id, description, cron, cron_timezone, active, next_run_at, ref, owner_id } = schedule
    const pipeline = last.get(id)
    return html`
      <li>
        ${pipeline ? statusBadge(pipeline.status, pipelineAddress(project, pipeline.id)) : html`<span class="tag">never run</span>`}
        <div class="what">
          <b>${isolated(description)}</b> ${refOf(project, shortRef(ref))}
          <p>
            <code>${cron}</code> ${cron_timezone} ·
            ${active && next_run_at !== null ? html`next ${ago(next_run_at)}` : t`paused`} ·
            ${ownerOf(visit, owners.get(owner_id ?? 0))}
          </p>
        </div>
        <div class="facts">${actionsOf(visit, schedule)}</div>
      </li>
    `
  }
  return projectView(
    { project, level, user, tab: 'schedules', showsCode: false },
    {
      title: t`Schedules`,
      main: html`
        <div class="heading">
          <h1>Schedules</h1>
          ${mayRunPipelines(visit) && html`<div class="actions"><a class="button primary" href="${address}/new">New schedule</a></div>`}
        </div>
        ${rows.length === 0 ? emptyState(say.noSchedules) : html`<ul class="rows refs">${rows.map(rowOf)}</ul>`}
        ${pagesBelow(address, { page: number, per_page: perPage, total })}
      `,
    },
  )
}

function ownerOf({ app }: CiVisit, owner: UserInBrief | undefined): Html {
  return owner ? person(app, owner, 16) : html`${say.noOwner}`
}

function actionsOf(visit: CiVisit, schedule: CiSchedule): Html {
  const { project, level, user, token } = visit
  const { active, owner_id } = schedule
  const address = scheduleAddress(project, schedule)
  const name = html`<span class="unseen"> <bdi>${schedule.description}</bdi></span>`
  const mayChange = user !== null && mayChangeSchedule(schedule, { user, level }) && mayRunPipelines(visit)
  const changes = () =>
    html`
      <a class="button" href="${address}/edit">Edit${name}</a>
      ${postButton(html`${active ? t`Pause` : t`Resume`}${name}`, {
        action: `${address}/active`,
        token,
        fields: { active: String(!active) },
      })}
      ${owner_id !== user?.id && postButton(html`Take ownership${name}`, { action: `${address}/take_ownership`, token })}
      ${dangerous(
        html`Delete${name}`,
        html`
          <p>${say.scheduleDeletion}</p>
          ${form({ action: `${address}/delete`, token, submit: t`Delete the schedule`, kind: 'danger' }, html``)}
        `,
      )}
    `
  return html`
    ${mayRunPipelines(visit) && postButton(html`${icon('play')} Run now${name}`, { action: `${address}/play`, token })}${
      mayChange && changes()
    }
  `
}
