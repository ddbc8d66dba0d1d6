/** Merge requests in a path. */
import type { MergeRequest } from '../../../db/tables.ts'
import type { ProjectGranted } from '../../../http/rules.ts'
import { Id } from '../../../http/schema.ts'
import { nested } from '../../../http/within.ts'
import { findMergeRequest } from './merge-requests.service.ts'

export interface MergeRequestGranted {
  merge_request: MergeRequest
}

/** The merge request in `:merge_request_iid`, if the caller can see it: `within(project('signed-in'), mergeRequestInPath)`. */
export const mergeRequestInPath = nested(
  { merge_request_iid: Id },
  async ({ project, level, user }: ProjectGranted, { merge_request_iid }, app) => ({
    merge_request: await findMergeRequest(app.db, { project, level }, merge_request_iid, user),
  }),
)
