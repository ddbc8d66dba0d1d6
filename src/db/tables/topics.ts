/** Topics, and the projects that have them. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

export interface TopicTable {
  id: Generated<number>
  name: string
  /** `name` in lower case: unique. */
  name_key: string
  title: string
  description: string | null
  /** Created or edited by an administrator: visible to everyone, whichever projects have it. */
  managed: boolean
  created_at: Instant
  updated_at: Instant
}

export interface ProjectTopicTable {
  project_id: number
  topic_id: number
  /** The name of the topic as written for the project; its case may differ. */
  name: string
}

export type Topic = Selectable<TopicTable>
