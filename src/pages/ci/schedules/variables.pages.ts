/** The variables of a pipeline schedule, visible only to users who may change it. */

import { Type } from 'typebox'
import { scheduleAddress } from '../../../addresses/ci.ts'
import type { CiSchedule } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import type { GivenVariable } from '../../../features/ci/pipelines/pipelines.ts'
import {
  addScheduleVariable,
  changeScheduleVariable,
  deleteScheduleVariable,
  scheduleChanged,
  scheduleVariableChanged,
  scheduleVariables,
} from '../../../features/ci/schedules/schedules.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { dangerous, field, form, problemsOf, untouched } from '../../frame/forms.ts'
import { projectView } from '../../project/project-view.ts'
import type { CiVisit } from '../seen.ts'
import { placeSentences, settingSentences as say } from '../sentences.ts'
import { valueFields, variableFields } from '../variables-field.ts'

type Seen = CiVisit & { schedule: CiSchedule }

export const scheduleVariablePages = [
  page('GET /:project/pipeline_schedules/:pipeline_schedule_id/variables/new', {
    access: scheduleChanged,
    show: (seen) => newView(seen, untouched),
  }),
  action('POST /:project/pipeline_schedules/:pipeline_schedule_id/variables', {
    access: scheduleChanged,
    form: { key: Type.String({ maxLength: 255 }), ...variableFields },
    async act({ app, project, schedule, sent: { key, value, kind } }) {
      await addScheduleVariable(app, schedule, { key, value, kind })
      return { redirect: editAddress(project, schedule), notice: say.variableAdded(key) }
    },
    again: (seen, typed) => newView(seen, typed),
  }),
  page('GET /:project/pipeline_schedules/:pipeline_schedule_id/variables/:key/edit', {
    access: scheduleVariableChanged,
    show: ({ variable, ...seen }) => editView(seen, variable.key, untouched),
  }),
  action('POST /:project/pipeline_schedules/:pipeline_schedule_id/variables/:key', {
    access: scheduleVariableChanged,
    form: variableFields,
    async act({ app, project, schedule, variable, sent: { value, kind } }) {
      await changeScheduleVariable(app, variable, { value, kind })
      return { redirect: editAddress(project, schedule), notice: say.variableChanged(variable.key) }
    },
    again: ({ variable, ...seen }, typed) => editView(seen, variable.key, typed),
  }),
  action('POST /:project/pipeline_schedules/:pipeline_schedule_id/variables/:key/delete', {
    access: scheduleVariableChanged,
    async act({ app, project, schedule, variable }) {
      await deleteScheduleVariable(app.db, variable)
      return { redirect: editAddress(project, schedule), notice: say.variableDeleted(variable.key) }
    },
  }),
]

const editAddress = (project: { full_path: string }, schedule: CiSchedule) => `${scheduleAddress(project, schedule)}/edit`

/** Their names, below the form of the schedule; values are only on their own pages. */
export function variablesOf({ project, schedule, token }: Seen, variables: readonly GivenVariable[]): Html {
  const address = `${scheduleAddress(project, schedule)}/variables`
  const row = ({ key, kind }: GivenVariable) =>
    html`
      <li>
        <div class="what"><code>${key}</code> ${kind === 'file' && html`<span class="tag">file</span>`}</div>
        <div class="facts">
          <a class="button" href="${address}/${key}/edit">Edit<span class="unseen"> ${key}</span></a>
          ${dangerous(
            html`Delete<span class="unseen"> ${key}</span>`,
            form({ action: `${address}/${key}/delete`, token, submit: t`Delete the variable`, kind: 'danger' }, html``),
          )}
        </div>
      </li>
    `
  return html`<h2>Variables</h2><p class="hint">${placeSentences.scheduleVariables}</p>${
    variables.length === 0
      ? html`<p class="empty">${placeSentences.noScheduleVariables}</p>`
      : html`<ul class="rows">${variables.map(row)}</ul>`
  }<p><a class="button" href="${address}/new">Add a variable</a></p>`
}

function newView(seen: Seen, typed: Typed): View {
  const { project, schedule, token } = seen
  const fields = html`
    ${problemsOf(typed.errors, ['key', 'value', 'kind'])}${field(t`Name`, 'key', typed, {
      required: true,
      autocomplete: 'off',
    })}${valueFields(typed, { value: '', kind: 'env_var' })}
  `
  return framed(
    seen,
    t`Add a variable`,
    form({ action: `${scheduleAddress(project, schedule)}/variables`, token, submit: t`Add the variable` }, fields),
  )
}

async function editView(seen: Seen, key: string, typed: Typed): Promise<View> {
  const { app, project, schedule, token } = seen
  const shown = (await scheduleVariables(app, schedule)).find((variable) => variable.key === key)
  if (!shown) throw notFound('Variable')
  const fields = html`${problemsOf(typed.errors, ['value', 'kind'])}${valueFields(typed, shown)}`
  const action = `${scheduleAddress(project, schedule)}/variables/${key}`
  return framed(seen, t`Edit ${key}`, form({ action, token, submit: t`Save the variable` }, fields))
}

function framed({ project, level, user, schedule }: Seen, title: string, content: Html): View {
  return projectView(
    { project, level, user, tab: 'schedules', showsCode: false },
    {
      title,
      main: html`
        <div class="form-page">
          <h1>${title}</h1>
          <p><a href="${editAddress(project, schedule)}"><bdi>${schedule.description}</bdi></a></p>
          ${content}
        </div>
      `,
    },
  )
}
