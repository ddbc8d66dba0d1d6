/** Archives groups: everything below can be read, and takes nothing in, until the group is unarchived. */
import type { LocatedGroup } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { Failure } from '../../../failure.ts'
import { archiveBelow, unarchiveBelow } from './archiving.queries.ts'
import { findLocated } from './groups.queries.ts'
import { lockGroup } from './groups.service.ts'

/** With everything below it. Throws 422 where it is archived already. */
export async function archiveGroup(app: App, id: number): Promise<LocatedGroup> {
  await inTransaction(app.db, async (tx) => {
    const { archived, archived_by_itself } = await lockGroup(tx, id)
    if (archived) throw refusal(archived_by_itself ? 'The group is archived already.' : withGroupAbove)
    await archiveBelow(tx, id, now())
  })
  return findLocated(app.db, id)
}

/**
 * Subgroups and projects that were archived by themselves stay so. Throws 422 unless the group is archived, and not by a group above it.
 */
export async function unarchiveGroup(app: App, id: number): Promise<LocatedGroup> {
  await inTransaction(app.db, async (tx) => {
    const { archived, archived_by_itself, parent_id } = await lockGroup(tx, id)
    if (!archived) throw refusal('The group is not archived.')
    const parent = parent_id === null ? null : await findLocated(tx, parent_id)
    if (!archived_by_itself || parent?.archived) throw refusal(withGroupAbove)
    await unarchiveBelow(tx, id, now())
  })
  return findLocated(app.db, id)
}

const withGroupAbove = 'The group is archived with a group above it: unarchive that one.'

function refusal(sentence: string): Failure {
  return new Failure('unprocessable', sentence)
}
