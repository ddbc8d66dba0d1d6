/** States of OpenTofu and Terraform. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

export interface TerraformStateTable {
  id: Generated<number>
  project_id: number
  name: string
  /** Chosen by the client that holds the lock; null while nobody does. */
  lock_id: string | null
  /** The client's own description of its lock, as JSON. */
  lock_info: string | null
  locked_by_id: number | null
  locked_at: Instant | null
  created_at: Instant
  updated_at: Instant
}

export interface TerraformVersionTable {
  id: Generated<number>
  state_id: number
  /** Counted by the client. The version that counts is the one that was written last. */
  serial: number
  /** The size of the object in bytes. */
  size: number
  /** The key of the sealed object. */
  store_key: string
  created_by_id: number | null
  created_at: Instant
}

export type TerraformState = Selectable<TerraformStateTable>
export type TerraformVersion = Selectable<TerraformVersionTable>
