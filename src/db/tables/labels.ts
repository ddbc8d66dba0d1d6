/** Labels and milestones of projects and groups. */
import type { Generated, Selectable } from 'kysely'
import type { Day, Instant } from './columns.ts'

/** Belongs to exactly one of a project and a group. The title is unique there, case-sensitively. */
export interface LabelTable {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  title: string
  /** `#` and six hexadecimal digits. */
  color: string
  description: string | null
  created_at: Instant
  updated_at: Instant
}

/** The priority of a label in a project; the label may be that of a group above. */
export interface LabelPriorityTable {
  project_id: number
  label_id: number
  priority: number
}

/** Belongs to exactly one of a project and a group. */
export interface MilestoneTable {
  id: Generated<number>
  iid: number
  project_id: number | null
  namespace_id: number | null
  title: string
  description: string | null
  state: Generated<'active' | 'closed'>
  start_date: Day | null
  due_date: Day | null
  closed_at: Instant | null
  created_at: Instant
  updated_at: Instant
}

export type Label = Selectable<LabelTable>
export type Milestone = Selectable<MilestoneTable>
