/** Pipeline schedules and their variables. */
import { type Static, Type } from 'typebox'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { AnyValue, Message, none, oneOf, oneOfDefault } from '../../../http/parameters/schema.ts'
import { enqueue } from '../../../queue/queue.ts'
import { PipelineBasic } from '../pipelines/pipelines.schema.ts'
import { jobsRun, jobsSeen, type PipelineInputs, presentPipelineBasic } from '../pipelines/pipelines.ts'
import { variableTypes } from '../variables/variables.schema.ts'
import { changedInputs } from './inputs.ts'
import { scheduleChanged, scheduleRun, scheduleSeen, scheduleVariableChanged } from './schedules.access.ts'
import { runOf, runScheduleJob } from './schedules.jobs.ts'
import { presentDetails, presentSchedules, presentVariable } from './schedules.present.ts'
import { deleteSchedule, deleteVariable, listSchedules, pipelinesOfSchedule } from './schedules.queries.ts'
import { Schedule, ScheduleDetails, ScheduleVariable } from './schedules.schema.ts'
import { addVariable, changeSchedule, changeVariable, createSchedule } from './schedules.service.ts'

const description = Type.String()
const ref = Type.String({ description: 'Branch or tag' })
const cron = Type.String({ description: 'Five fields, such as `0 4 * * 1-5`' })
const zone = 'Time zone of the IANA, such as `Europe/Berlin`'
const value = Type.String()
const input = { name: Type.String(), value: Type.Optional(AnyValue) }
const inputs = Type.Array(Type.Object(input), { default: [], description: 'Values for `spec:inputs` of the file' })
const changesOfInputs = Type.Array(Type.Object({ ...input, destroy: Type.Optional(Type.Boolean()) }), {
  description: 'Inputs to add or replace, or to remove by `destroy`; others are kept',
})

export const schedules = [
  listEndpoint('GET /projects/:id/pipeline_schedules', {
    summary: 'List the pipeline schedules of a project',
    access: jobsSeen,
    query: { scope: Type.Optional(oneOf('active', 'inactive')) },
    item: Schedule,
    async handle({ app, project, query: { scope }, page }) {
      const { rows, total } = await listSchedules(app.db, project.id, scope, page)
      return { rows: await presentSchedules(app, rows), total }
    },
  }),
  endpoint('GET /projects/:id/pipeline_schedules/:pipeline_schedule_id', {
    summary: 'Get a pipeline schedule',
    access: scheduleSeen,
    reply: ScheduleDetails,
    handle: (context) => presentDetails(context.app, context),
  }),
  listEndpoint('GET /projects/:id/pipeline_schedules/:pipeline_schedule_id/pipelines', {
    summary: 'List the pipelines of a schedule',
    access: scheduleSeen,
    item: PipelineBasic,
    async handle({ app, project, schedule, page }) {
      const { rows, total } = await pipelinesOfSchedule(app.db, schedule.id, page)
      return { rows: rows.map((row) => presentPipelineBasic(app.config, project, row)), total }
    },
  }),
  endpoint('POST /projects/:id/pipeline_schedules', {
    summary: 'Create a pipeline schedule',
    access: jobsRun,
    body: {
      description,
      ref,
      cron,
      cron_timezone: Type.String({ description: zone, default: 'UTC' }),
      active: Type.Boolean({ default: true }),
      inputs,
    },
    reply: ScheduleDetails,
    async handle({ app, user, project, level, body: { inputs, ...body } }) {
      const schedule = await createSchedule(app, project, user, body, { inputs: changedInputs({}, inputs) })
      return presentDetails(app, { user, project, level, schedule })
    },
  }),
  endpoint('PUT /projects/:id/pipeline_schedules/:pipeline_schedule_id', {
    summary: 'Update a pipeline schedule',
    access: scheduleChanged,
    body: {
      description: Type.Optional(description),
      ref: Type.Optional(ref),
      cron: Type.Optional(cron),
      cron_timezone: Type.Optional(Type.String({ description: zone })),
      active: Type.Optional(Type.Boolean()),
      inputs: Type.Optional(changesOfInputs),
    },
    reply: ScheduleDetails,
    async handle({ app, user, project, level, schedule: { id }, body: { inputs, ...body } }) {
      const changes = inputs ? { ...body, inputs: (before: PipelineInputs) => changedInputs(before, inputs) } : body
      return presentDetails(app, { user, project, level, schedule: await changeSchedule(app, { id }, changes) })
    },
  }),
  endpoint('POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/take_ownership', {
    summary: 'Take ownership of a pipeline schedule',
    access: scheduleChanged,
    reply: ScheduleDetails,
    handle: async ({ app, user, project, level, schedule }) =>
      presentDetails(app, { user, project, level, schedule: await changeSchedule(app, schedule, { owner_id: user.id }) }),
  }),
  endpoint('POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/play', {
    summary: 'Run a pipeline schedule now',
    access: scheduleRun,
    reply: Message,
    async handle({ app, user, schedule }) {
      await enqueue(app.db, runScheduleJob, runOf(schedule, user.id))
      return { message: '201 Created' }
    },
  }),
  endpoint('DELETE /projects/:id/pipeline_schedules/:pipeline_schedule_id', {
    summary: 'Delete a pipeline schedule',
    access: scheduleChanged,
    reply: none,
    lastChanged: ({ schedule }) => schedule.updated_at,
    async handle({ app, schedule }) {
      await deleteSchedule(app.db, schedule.id)
      return null
    },
  }),
  endpoint('POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables', {
    summary: 'Create a variable of a pipeline schedule',
    access: scheduleChanged,
    body: { key: Type.String(), value, variable_type: oneOfDefault(...variableTypes) },
    reply: ScheduleVariable,
    handle: async ({ app, schedule, body: { key, value, variable_type: kind } }) =>
      presentVariable(app, await addVariable(app, schedule, { key, value, kind })),
  }),
  endpoint('GET /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables/:key', {
    summary: 'Get a variable of a pipeline schedule',
    access: scheduleVariableChanged,
    reply: ScheduleVariable,
    handle: ({ app, variable }) => presentVariable(app, variable),
  }),
  endpoint('PUT /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables/:key', {
    summary: 'Update a variable of a pipeline schedule',
    access: scheduleVariableChanged,
    body: { value: Type.Optional(value), variable_type: Type.Optional(oneOf(...variableTypes)) },
    reply: ScheduleVariable,
    handle: async ({ app, variable, body: { value, variable_type: kind } }) =>
      presentVariable(app, await changeVariable(app, variable, { value, kind })),
  }),
  endpoint('DELETE /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables/:key', {
    summary: 'Delete a variable of a pipeline schedule',
    access: scheduleVariableChanged,
    reply: ScheduleVariable,
    status: 202,
    async handle({ app, variable }): Promise<Static<typeof ScheduleVariable>> {
      await deleteVariable(app.db, variable)
      return presentVariable(app, variable)
    },
  }),
]
