/** Pipeline schedules in JSON. */
import { Type } from 'typebox'
import { AnyValue, Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { PipelineBasic } from '../pipelines/pipelines.schema.ts'
import { variableTypes } from '../variables/variables.schema.ts'

export const Schedule = resource('PipelineSchedule', {
  id: Type.Integer(),
  description: Type.String(),
  ref: Type.String(),
  cron: Type.String(),
  cron_timezone: Type.String(),
  next_run_at: nullable(Instant),
  active: Type.Boolean(),
  created_at: Instant,
  updated_at: Instant,
  owner: nullable(UserBrief),
})

export const ScheduleVariable = resource('PipelineScheduleVariable', {
  variable_type: oneOf(...variableTypes),
  key: Type.String(),
  value: Type.String(),
  raw: Type.Boolean(),
})

export const ScheduleInput = resource('PipelineScheduleInput', { name: Type.String(), value: AnyValue })

export const ScheduleDetails = resource('PipelineScheduleDetails', {
  ...Schedule.properties,
  last_pipeline: nullable(PipelineBasic),
  variables: Type.Optional(Type.Array(ScheduleVariable, { description: 'For those who may change the schedule' })),
  inputs: Type.Optional(Type.Array(ScheduleInput, { description: 'For those who may change the schedule' })),
})
