/** Merge requests in a path. */
import { asId, findProject } from '../../../access/find.ts'
import { userOf } from '../../../access/principals.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { type Access, anyone, type Granted, type ProjectGranted } from '../../../http/declare/rules.ts'
import { nested } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { mergeRequestById } from './merge-requests.queries.ts'
import { findMergeRequest } from './merge-requests.service.ts'

export interface MergeRequestGranted {
  merge_request: MergeRequest
}

/** Grants the merge request in `:merge_request_iid`, if the caller can see it: `within(project('signed-in'), mergeRequestInPath)`. */
export const mergeRequestInPath = nested(
  { merge_request_iid: Id },
  async ({ project, level, user }: ProjectGranted, { merge_request_iid }, app) => ({
    merge_request: await findMergeRequest(app.db, { project, level }, merge_request_iid, user),
  }),
)

/** Grants the merge request with the global id `:id` to users who can see it. */
export function mergeRequestOfId(): Access<Granted & MergeRequestGranted & { level: number }> {
  return {
    ...anyone(),
    description: 'Whoever can see the merge request.',
    signedInDescription: 'Any signed-in user who can see the merge request.',
    async grant({ app, principal, params }) {
      const user = userOf(principal)
      const found = await mergeRequestById(app.db, asId(params.id ?? '') ?? 0)
      if (!found) throw notFound('Merge Request')
      const access = await findProject(app.db, String(found.project_id), user)
      return { user, level: access.level, merge_request: await findMergeRequest(app.db, access, found.iid, user) }
    },
  }
}
