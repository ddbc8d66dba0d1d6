/** The refs of a repository as of the snapshot of the database, computed from the current ones and the pushes since. */
import { setTimeout } from 'node:timers/promises'
import type { Db } from '../db/database.ts'
import type { Repo } from '../git/repository/repository.ts'
import { type RefState, readRefState } from '../git/transfer/copy.ts'
import { existingProjects, openIntents, type RefMove, recordedSince } from './moves.queries.ts'
import { undo } from './undo.ts'

/** As the snapshot has it. */
export interface Pushable {
  id: number
  import_status: string
}

/** The refs of a project by the events of the snapshot. */
export type TipsOf = (project_id: number) => Promise<Map<string, string | null>>

export interface SnapshotMarks {
  /** No event of the snapshot has a greater id, and every later one has. */
  last_event: number
  /** The changes of refs that were under way in it. */
  intents: Set<number>
}

const lookAgain_ms = 50
/** A change of refs takes milliseconds from the journal to the event, unless its process has died. */
const patience_ms = 30_000

/**
 * Refs are read before the journal, and that before the events, so that no change slips from one to the other unseen. What is
 * neither branch nor tag makes no event, and is as it is now.
 */
export async function refsAtSnapshot(
  db: Db,
  repo: Repo,
  { id, import_status }: Pushable,
  marks: SnapshotMarks,
  tipsOf: TipsOf,
  wait_ms = patience_ms,
): Promise<RefState> {
  const state = await readRefState(repo)
  const unsettled = await afterOpenIntents(db, id, marks, wait_ms)
  const recorded = await recordedSince(db, id, marks.last_event)
  // Its events went with it: none of those that were just read is missing, if it is there now.
  if (!(await existingProjects(db, [id])).has(id)) return ofDeleted(state, await tipsOf(id), import_status !== 'none')
  const byRef = new Map<string, { moves: RefMove[]; open: RefMove[] }>()
  const movesOf = (ref: string) => byRef.get(ref) ?? byRef.set(ref, { moves: [], open: [] }).get(ref)
  for (const move of recorded) movesOf(move.ref)?.moves.push(move)
  for (const move of unsettled.flatMap(({ moves }) => moves)) movesOf(move.ref)?.open.push(move)
  const tips = unsettled.length > 0 ? await tipsOf(id) : new Map<string, string | null>()
  for (const [ref, { moves, open }] of byRef) {
    const now = state.refs.get(ref) ?? null
    // Two may push the same: the change in the snapshot is not the one that failed.
    if (moves.length === 0 && tips.get(ref) === now) continue
    const at = undo(withoutOpen(now, moves, open), moves)
    if (at === null) state.refs.delete(ref)
    else state.refs.set(ref, at)
  }
  return state
}

/**
 * The refs of a project that was deleted since the snapshot. What its events don't tell of came after it, except where branches came from
 * elsewhere (`isFilled`): of forks and imports there is one event.
 */
function ofDeleted(state: RefState, tips: Map<string, string | null>, isFilled: boolean): RefState {
  for (const ref of [...state.refs.keys()]) {
    if (/^refs\/(heads|tags)\//.test(ref) && !tips.has(ref) && !isFilled) state.refs.delete(ref)
  }
  for (const [ref, oid] of tips) {
    if (oid === null) state.refs.delete(ref)
    else state.refs.set(ref, oid)
  }
  return state
}

/**
 * Waits until the changes that are open now are settled, one way or the other; gives those that stay open. Those of the snapshot
 * are settled after a restore, wherever their refs are then.
 */
async function afterOpenIntents(db: Db, project_id: number, { intents }: SnapshotMarks, wait_ms: number) {
  let open = (await openIntents(db, project_id)).filter(({ id }) => !intents.has(id))
  const ids = new Set(open.map(({ id }) => id))
  for (let waited = 0; open.length > 0 && waited < wait_ms; waited += lookAgain_ms) {
    await setTimeout(lookAgain_ms)
    open = (await openIntents(db, project_id)).filter(({ id }) => ids.has(id))
  }
  return open
}

/** Takes back what a process did that died before it could record it: the snapshot knows nothing of it. */
function withoutOpen(now: string | null, recorded: RefMove[], open: RefMove[]): string | null {
  const last = open.findLast(({ after }) => after === now)
  if (!last || recorded.some(({ after }) => after === now)) return now
  return withoutOpen(
    last.before,
    recorded,
    open.filter((move) => move !== last),
  )
}
