/** Milestones as JSON (spec 2.5). */
import { Type } from 'typebox'
import { Day, Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'

export const Milestone = resource('Milestone', {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Optional(Type.Integer({ description: 'Of a milestone of a project' })),
  group_id: Type.Optional(Type.Integer({ description: 'Of a milestone of a group' })),
  title: Type.String(),
  description: nullable(Type.String()),
  state: oneOf('active', 'closed'),
  created_at: Instant,
  updated_at: Instant,
  closed_at: nullable(Instant),
  due_date: nullable(Day),
  start_date: nullable(Day),
  expired: Type.Boolean({ description: 'Whether it is active and its due date has passed' }),
  web_url: Type.String(),
})
