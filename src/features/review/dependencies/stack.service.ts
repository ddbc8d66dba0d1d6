/** Reads the stack of a merge request, as somebody sees it. */
import type { Viewer } from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { changesOf, sharingChanges, stackedIn, visibleAmong } from './dependencies.queries.ts'
import { type Stacked, stackOf } from './stacks.ts'

/**
 * From the lowest; empty if it isn't open, or nothing that the viewer can see is below or above it. Two statements where nothing tells of a
 * stack, otherwise at most four.
 */
export async function readStack(db: Db, viewer: Viewer, { id, state, project_id, author_id }: MergeRequest): Promise<Stacked[]> {
  if (state !== 'opened') return []
  const own = (await changesOf(db, id)).flatMap(({ change_id }) => change_id ?? [])
  const alike = own.length === 0 ? [] : await sharingChanges(db, { project_id, author_id }, own)
  const known = new Set(alike.map((one) => one.id))
  const byBranch = await stackedIn(db, project_id)
  const others = byBranch.filter((one) => !known.has(one.id))
  const stack = stackOf(id, [...alike, ...others.map((one) => ({ ...one, isOwn: true, change_ids: [] }))])
  if (stack.length === 0) return []
  const seen = await visibleAmong(
    db,
    viewer,
    stack.map((one) => one.id),
  )
  const shown = stack.filter((one) => seen.has(one.id))
  return shown.length > 1 ? shown : []
}
