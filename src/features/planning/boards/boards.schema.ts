/** Boards and their lists as JSON (spec 2.14). The columns of open and closed issues are implicit. */
import { Type } from 'typebox'
import { nullable, resource } from '../../../http/parameters/schema.ts'
import { ProjectSimple } from '../../spaces/projects/projects.schema.ts'
import { LabelBrief } from '../labels/labels.schema.ts'

const text = Type.String()
const id = Type.Integer()

export const BoardList = resource('BoardList', {
  id,
  label: LabelBrief,
  position: Type.Integer({ description: 'From 0' }),
})

const common = {
  id,
  name: text,
  hide_backlog_list: Type.Boolean({ description: 'Whether pages show no column of open issues without a list' }),
  hide_closed_list: Type.Boolean({ description: 'Whether pages show no column of closed issues' }),
}
/** Boards here aren't limited to a milestone. */
const milestone = nullable(Type.Object({ id, title: text }))

export const ProjectBoard = resource('Board', {
  ...common,
  project: ProjectSimple,
  milestone,
  lists: Type.Array(BoardList),
})

export const GroupBoard = resource('GroupBoard', {
  ...common,
  project: Type.Null(),
  group_id: id,
  group: Type.Object({ id, name: text, web_url: text }),
  milestone,
  lists: Type.Array(BoardList),
})
