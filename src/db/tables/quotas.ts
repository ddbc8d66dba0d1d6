/** Limits of storage, and sizes of what is stored. */
import type { Generated, Selectable } from 'kysely'

/** Limits of a project or a namespace in MiB: null for the limit above, 0 for none. */
export interface SizeLimitTable {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  /** Limits each repository with its large files. */
  repository_size_limit: number | null
  /** Limits everything in a namespace and below. */
  storage_size_limit: number | null
}

/** Bytes of files in the objects store; triggers keep them. A project without a row has none. */
export interface StoredSizeTable {
  project_id: number
  job_artifacts_size: Generated<number>
  packages_size: Generated<number>
  uploads_size: Generated<number>
  /** Every version of a state counts, not only the newest. */
  terraform_states_size: Generated<number>
  secure_files_size: Generated<number>
}

export interface QuotaTables {
  size_limits: SizeLimitTable
  stored_sizes: StoredSizeTable
}

export type StoredSize = Selectable<StoredSizeTable>
