/** Creates and edits pipeline schedules, with their variables and inputs. */

import { Type } from 'typebox'
import { scheduleAddress, schedulesAddress } from '../../../addresses/ci.ts'
import type { CiSchedule } from '../../../db/tables.ts'
import { assertKeys, type PipelineInputs } from '../../../features/ci/pipelines/pipelines.ts'
import {
  changeSchedule,
  createSchedule,
  openScheduleInputs,
  scheduleChanged,
  scheduleVariables,
} from '../../../features/ci/schedules/schedules.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { Off } from '../../../http/parameters/schema.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { checkbox, field, form, problemsOf, untouched } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import { projectView } from '../../project/project-view.ts'
import { recentNames } from '../../repository/refs/parts.ts'
import { inputsField, readInputLines } from '../inputs-field.ts'
import { type CiVisit, runners } from '../seen.ts'
import { placeSentences as say } from '../sentences.ts'
import { readVariables, variablesField } from '../variables-field.ts'
import { variablesOf } from './variables.pages.ts'

const fields = {
  description: Type.String({ maxLength: 255 }),
  ref: Type.String({ maxLength: 1_024 }),
  cron: Type.String({ maxLength: 255 }),
  cron_timezone: Type.String({ default: 'UTC', maxLength: 255 }),
  active: Off,
  inputs: Type.String({ default: '', maxLength: 200_000 }),
}

export const scheduleFormPages = [
  page('GET /:project/pipeline_schedules/new', { access: runners, show: (visit) => newView(visit, untouched) }),
  action('POST /:project/pipeline_schedules', {
    access: runners,
    form: { ...fields, variables: Type.String({ default: '', maxLength: 200_000 }) },
    async act({ app, project, user, sent: { variables, inputs, ...sent } }) {
      const given = readVariables(variables)
      assertKeys(given)
      await createSchedule(app, project, user, sent, { variables: given, inputs: readInputLines(inputs) })
      return { redirect: schedulesAddress(project), notice: say.scheduleAdded }
    },
    again: (visit, typed) => newView(visit, typed),
  }),
  page('GET /:project/pipeline_schedules/:pipeline_schedule_id/edit', {
    access: scheduleChanged,
    show: (seen) => editView(seen, untouched),
  }),
  action('POST /:project/pipeline_schedules/:pipeline_schedule_id', {
    access: scheduleChanged,
    form: fields,
    async act({ app, project, schedule, sent: { inputs, ...sent } }) {
      await changeSchedule(app, schedule, { ...sent, inputs: (before) => readInputLines(inputs, before) })
      return { redirect: schedulesAddress(project), notice: say.scheduleChanged }
    },
    again: (seen, typed) => editView(seen, typed),
  }),
]

async function newView(visit: CiVisit, typed: Typed): Promise<View> {
  const { project, level, user, token } = visit
  const fresh = { description: '', ref: project.default_branch ?? '', cron: '0 4 * * *', cron_timezone: 'UTC', active: true }
  const content = html`${await fieldsOf(visit, typed, fresh, {})}${variablesField(typed)}`
  return projectView(
    { project, level, user, tab: 'schedules', showsCode: false },
    {
      title: t`New schedule`,
      main: html`
        <div class="form-page">
          <h1>New schedule</h1>
          ${form({ action: schedulesAddress(project), token, submit: t`Create the schedule` }, content)}
        </div>
      `,
    },
  )
}

async function editView(seen: CiVisit & { schedule: CiSchedule }, typed: Typed): Promise<View> {
  const { app, project, level, user, token, schedule } = seen
  const address = scheduleAddress(project, schedule)
  const shown = { ...schedule, ref: schedule.ref.replace(/^refs\/heads\//, '') }
  const content = await fieldsOf(seen, typed, shown, openScheduleInputs(app, schedule))
  return projectView(
    { project, level, user, tab: 'schedules', showsCode: false },
    {
      title: t`Edit ${schedule.description}`,
      main: html`
        <div class="form-page">
          <h1>Edit ${isolated(schedule.description)}</h1>
          <p><a href="${schedulesAddress(project)}">All schedules</a></p>
          ${form({ action: address, token, submit: t`Save the schedule` }, content)}
          ${variablesOf(seen, await scheduleVariables(app, schedule))}
        </div>
      `,
    },
  )
}

type Shown = Pick<CiSchedule, 'description' | 'ref' | 'cron' | 'cron_timezone' | 'active'>

async function fieldsOf({ repo }: CiVisit, typed: Typed, shown: Shown, inputs: PipelineInputs): Promise<Html> {
  const { description, ref, cron, cron_timezone, active } = shown
  const names = ['description', 'ref', 'cron', 'cron_timezone', 'variables', 'inputs']
  return html`
    ${problemsOf(typed.errors, names)}${field(t`Description`, 'description', typed, { value: description, required: true })}${field(
      t`Branch or tag`,
      'ref',
      typed,
      { value: ref, required: true, list: await recentNames(repo, 'heads') },
    )}${field(t`Times`, 'cron', typed, { value: cron, required: true, hint: say.cronHint })}${field(t`Time zone`, 'cron_timezone', typed, {
      value: cron_timezone,
      hint: say.timeZoneHint,
    })}
    ${checkbox(t`Active`, 'active', typed, { value: active ? 'true' : 'false', hint: say.activeHint })}${inputsField(typed, inputs)}
  `
}
