/** Updates the notes on a merge request's diff to its newest version: they follow their lines, or become outdated. */
import { pageUrl } from '../../../addresses/links.ts'
import { mergeRequestAddress } from '../../../addresses/merge-requests.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { BodilessNote, Instant, MergeRequest, MergeRequestVersion } from '../../../db/tables.ts'
import { endingWith } from '../../../git/repository/handles.ts'
import {
  type DiffRefs,
  diffNotesOf,
  movePositions,
  outdatePositions,
  type Position,
  positionOf,
  positionText,
  readSurroundings,
  refsOf,
  sameRefs,
  type Traced,
  tracePosition,
} from '../../review/diff-notes/diff-notes.ts'
import { lockMergeRequest, mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { newestVersion } from '../../review/versions/versions.ts'
import { insertSystemNotes, type NewSystemNote } from '../notes/notes.ts'
import { setResolution } from './diff-discussions.queries.ts'
import { noteAllResolved } from './resolving.service.ts'
import { projectOfMergeRequest, versionsOf } from './tracing.queries.ts'

interface Moved {
  opening: BodilessNote
  traced: Traced
}

/** Positions traced together. */
const atOnce = 8

/**
 * Idempotent: notes on the newest version and outdated ones are not changed, unless their version is the newest again. `actorId` is the
 * user who pushed. Git is read before the transaction: two processes per pair of commits, one per file.
 */
export async function traceNotes(app: App, mergeRequestId: number, actorId: number, stopping?: AbortSignal): Promise<void> {
  const merge_request = await mergeRequestById(app.db, mergeRequestId)
  const version = await newestVersion(app.db, mergeRequestId)
  if (!merge_request || !version) return
  const refs = { base_sha: version.base_oid, start_sha: version.start_oid, head_sha: version.head_oid }
  const stale = (await diffNotesOf(app.db, mergeRequestId)).filter((note) => isStale(note, refs))
  if (stale.length === 0) return
  const repo = endingWith(app.git.open(merge_request.project_id), stopping)
  const moved: Moved[] = []
  for (const group of groupedByRefs(stale)) {
    const positions = group.map(({ position }) => position)
    const around = readSurroundings(repo, refsOf(positions[0] as Position), refs, positions)
    for (let at = 0; at < group.length; at += atOnce) {
      const some = group.slice(at, at + atOnce)
      const traced = await Promise.all(some.map(({ position }) => tracePosition(position, around)))
      moved.push(...some.map(({ opening }, index) => ({ opening, traced: traced[index] as Traced })))
    }
  }
  await inTransaction(app.db, (tx) => keepMoves(tx, app, { merge_request, version, actorId }, moved))
}

interface Push {
  merge_request: MergeRequest
  version: MergeRequestVersion
  actorId: number
}

function isStale({ position, outdated_by }: BodilessNote, refs: DiffRefs): boolean {
  if (position === null) return false
  const isCurrent = sameRefs(positionOf(position), refs)
  return outdated_by === null ? !isCurrent : isCurrent
}

function groupedByRefs(notes: BodilessNote[]): Array<Array<{ opening: BodilessNote; position: Position }>> {
  const groups = new Map<string, Array<{ opening: BodilessNote; position: Position }>>()
  for (const opening of notes) {
    const position = positionOf(opening.position as string)
    const key = JSON.stringify(refsOf(position))
    const group = groups.get(key) ?? []
    groups.set(key, [...group, { opening, position }])
  }
  return [...groups.values()]
}

async function keepMoves(tx: Tx, app: App, push: Push, moved: Moved[]): Promise<void> {
  const { actorId } = push
  const at = now()
  const merge_request = await lockMergeRequest(tx, push.merge_request.id)
  // Another version was created meanwhile; its job traces them.
  if (!merge_request || (await newestVersion(tx, merge_request.id))?.id !== push.version.id) return
  const outdated: Moved[] = []
  for (const { opening, traced } of moved) {
    if (!traced.outdated) await movePositions(tx, opening, { position: positionText(traced.position), line_code: traced.line_code })
    else if (await outdatePositions(tx, opening, traced.change ? positionText(traced.change) : 'null')) outdated.push({ opening, traced })
  }
  if (outdated.length === 0) return
  const place = await projectOfMergeRequest(tx, merge_request.project_id)
  const versions = await versionsOf(tx, merge_request.id)
  await insertSystemNotes(
    tx,
    outdated.map((note) => ({ ...outdatedText(app, { ...push, path: place.path, versions }, note), author_id: actorId, at })),
  )
  if (place.resolve_outdated_diff_discussions) await resolveByPush(tx, merge_request, outdated, actorId, at)
}

/** Part of the discussion: it links to the change of the line. */
function outdatedText(
  app: App,
  { merge_request, version, path, versions }: Push & { path: string; versions: Array<Pick<MergeRequestVersion, 'head_oid'>> },
  { opening, traced }: Moved,
): Omit<NewSystemNote, 'author_id'> {
  const change = traced.outdated ? traced.change : null
  const words = `version ${versions.length} of the diff`
  const isShown = change !== null && versions.some(({ head_oid }) => head_oid === change.start_sha)
  const address = `${pageUrl(app.config, mergeRequestAddress({ full_path: path }, merge_request.iid))}/diffs?diff_id=${version.id}&start_sha=${change?.start_sha}`
  return {
    action: 'outdated',
    body: `changed this line in ${isShown ? `[${words}](${address})` : words}`,
    noteable: { kind: 'merge_request', row: merge_request },
    discussion: opening,
  }
}

async function resolveByPush(tx: Tx, merge_request: MergeRequest, outdated: Moved[], actorId: number, at: Instant): Promise<void> {
  const resolution = { resolved_at: at, resolved_by_id: actorId, resolved_by_push: true }
  let isNews = false
  for (const { opening } of outdated) isNews = (await setResolution(tx, opening, resolution)) || isNews
  if (isNews) await noteAllResolved(tx, merge_request, actorId, at)
}
