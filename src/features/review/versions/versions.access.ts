/** Versions of a merge request in a path. */
import type { MergeRequestVersion } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import type { ProjectGranted } from '../../../http/declare/rules.ts'
import { nested } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import type { MergeRequestGranted } from '../merge-requests/merge-requests.ts'
import { versionById } from './versions.queries.ts'

export interface VersionGranted {
  version: MergeRequestVersion
}

/** Grants the version in `:version_id` of the merge request: `within(within(project(…), mergeRequestInPath), versionInPath)`. */
export const versionInPath = nested(
  { version_id: Id },
  async ({ merge_request }: ProjectGranted & MergeRequestGranted, { version_id }, app): Promise<VersionGranted> => {
    const version = await versionById(app.db, merge_request.id, version_id)
    if (!version) throw notFound('Merge Request Diff')
    return { version }
  },
)
