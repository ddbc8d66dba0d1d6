/** Computes the refs of a repository as of the snapshot of the database, from the current refs and the pushes since then. */
import { setTimeout } from 'node:timers/promises'
import type { Db } from '../db/database.ts'
import type { Repo } from '../git/repository/repository.ts'
import { type RefState, readRefState } from '../git/transfer/copy.ts'
import { existingProjects, openIntents, type RefMove, recordedSince } from './moves.queries.ts'
import { undo } from './undo.ts'

/** As in the snapshot. */
export interface Pushable {
  id: number
  import_status: string
}

/** The refs of a project according to the events of the snapshot. */
export type TipsOf = (project_id: number) => Promise<Map<string, string | null>>

export interface SnapshotMarks {
  /** The highest event id in the snapshot; all later events have higher ones. */
  last_event: number
  /** The changes of refs that were in progress in it. */
  intents: Set<number>
}

const lookAgain_ms = 50
/** A change of refs takes milliseconds from the journal to the event, unless its process has died. */
const patience_ms = 30_000

/**
 * Refs are read before the journal, and the journal before the events, so that no change is missed in between. Refs that are neither
 * branches nor tags have no events, and are saved as they are now.
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
  // Its events were deleted with it: if the project still exists now, none of those just read is missing.
  if (!(await existingProjects(db, [id])).has(id)) return ofDeleted(state, await tipsOf(id), import_status !== 'none')
  const byRef = new Map<string, { moves: RefMove[]; open: RefMove[] }>()
  const movesOf = (ref: string) => byRef.get(ref) ?? byRef.set(ref, { moves: [], open: [] }).get(ref)
  for (const move of recorded) movesOf(move.ref)?.moves.push(move)
  for (const move of unsettled.flatMap(({ moves }) => moves)) movesOf(move.ref)?.open.push(move)
  const tips = unsettled.length > 0 ? await tipsOf(id) : new Map<string, string | null>()
  for (const [ref, { moves, open }] of byRef) {
    const now = state.refs.get(ref) ?? null
    // Two may push the same commit: the change in the snapshot is not the one that failed.
    if (moves.length === 0 && tips.get(ref) === now) continue
    const at = undo(withoutOpen(now, moves, open), moves)
    if (at === null) state.refs.delete(ref)
    else state.refs.set(ref, at)
  }
  return state
}

/**
 * The refs of a project that was deleted since the snapshot. What its events don't mention came after the snapshot, unless branches came
 * from elsewhere (`isFilled`): forks and imports have one event.
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
 * Waits until the currently open changes are settled, and returns those that stay open. Those of the snapshot are settled after a restore,
 * wherever their refs are then.
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

/** Reverts what a process did that died before it could record it: the snapshot doesn't contain it. */
function withoutOpen(now: string | null, recorded: RefMove[], open: RefMove[]): string | null {
  const last = open.findLast(({ after }) => after === now)
  if (!last || recorded.some(({ after }) => after === now)) return now
  return withoutOpen(
    last.before,
    recorded,
    open.filter((move) => move !== last),
  )
}
