/** Changes of the refs of a project since a snapshot, from the events in the database. */
import type { Db } from '../db/database.ts'
import type { Move } from './undo.ts'

export interface RefMove extends Move {
  ref: string
}

/** Pushes recorded since then, in the order of their records. */
export function recordedSince(db: Db, project_id: number, last_event: number): Promise<RefMove[]> {
  return db
    .selectFrom('events')
    .select(['ref', 'before_oid as before', 'after_oid as after'])
    .where('project_id', '=', project_id)
    .where('id', '>', last_event)
    .where('action', '=', 'pushed')
    .where('ref', 'is not', null)
    .orderBy('id')
    .$narrowType<{ ref: string }>()
    .execute()
}

/** Changes of refs that may have happened and are not recorded yet. */
export async function openIntents(db: Db, project_id: number): Promise<Array<{ id: number; moves: RefMove[] }>> {
  const rows = await db.selectFrom('push_intents').select(['id', 'changes']).where('project_id', '=', project_id).orderBy('id').execute()
  return rows.map(({ id, changes }) => ({ id, moves: (JSON.parse(changes) as RefMove[]).map(asMove) }))
}

/** The journal stores zeros for no object. */
function asMove({ ref, before, after }: RefMove): RefMove {
  return { ref, before: orNull(before), after: orNull(after) }
}

function orNull(oid: string | null): string | null {
  return oid === null || /^0+$/.test(oid) ? null : oid
}

/** The given projects that still exist. */
export async function existingProjects(db: Db, ids: number[]): Promise<Set<number>> {
  const rows = await db.selectFrom('projects').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}
