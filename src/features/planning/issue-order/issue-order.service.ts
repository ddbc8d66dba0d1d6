/** The order of issues in lists of boards: an issue is placed between two others by a number between theirs. */
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { inTransaction, oneAtATime, type Tx } from '../../../db/database.ts'
import { Failure } from '../../../failure.ts'
import {
  followersOf,
  type OrderScope,
  type Positioned,
  positionAll,
  positionBefore,
  positionOf,
  setPosition,
  shiftAll,
  touchBoards,
} from './issue-order.queries.ts'

/** Distance between new positions: twenty issues can be put in the same place before others must move. */
const distance = 2 ** 20
/** Distance between issues that had to move. */
const minDistance = 2 ** 6
/** Maximum number of issues that are moved to make room. */
const maxMoved = 1_000

/** The neighbors of an issue that is placed: after the first and before the second; one of them is enough. */
export interface Neighbours {
  after_id?: number | undefined
  before_id?: number | undefined
}

/**
 * Places an issue between others of the scope. It doesn't count as a change of the issue. Throws 422 if the viewer can't see the neighbors
 * there, or none are given.
 */
export async function placeIssue(
  tx: Tx,
  scope: OrderScope,
  viewer: Viewer,
  issueId: number,
  { after_id, before_id }: Neighbours,
): Promise<void> {
  if ((after_id ?? before_id) === undefined || after_id === issueId || before_id === issueId) throw misplaced()
  await oneAtATime(tx, `issue order ${JSON.stringify(scope)}`)
  const find = () => Promise.all([neighbour(tx, scope, viewer, after_id), neighbour(tx, scope, viewer, before_id)])
  let [after, before] = await find()
  if (hasNoPosition(after) || hasNoPosition(before)) {
    await positionAll(tx, scope, distance)
    ;[after, before] = await find()
  }
  const position = after
    ? await positionAfter(tx, scope, issueId, positionIn(after), before)
    : await positionAhead(tx, scope, issueId, before)
  await setPosition(tx, issueId, position)
  await touchBoards(tx, scope)
}

/** As `placeIssue` among the issues of a project, in its own transaction. */
export function placeInProject(app: App, project_id: number, viewer: Viewer, issueId: number, neighbours: Neighbours): Promise<void> {
  return inTransaction(app.db, (tx) => placeIssue(tx, { project_id }, viewer, issueId, neighbours))
}

function misplaced(): Failure {
  return new Failure('unprocessable', 'Unprocessable Entity', { body: { message: { error: 'Unprocessable Entity' } } })
}

async function neighbour(tx: Tx, scope: OrderScope, viewer: Viewer, id: number | undefined): Promise<Positioned | null> {
  if (id === undefined) return null
  const found = await positionOf(tx, scope, viewer, id)
  if (!found) throw misplaced()
  return found
}

function hasNoPosition(issue: Positioned | null): boolean {
  return issue !== null && issue.relative_position === null
}

function positionIn({ relative_position }: Positioned): number {
  return Number(relative_position)
}

/** A position after another one, and before the given issue if that comes later. */
async function positionAfter(tx: Tx, scope: OrderScope, issueId: number, start: number, before: Positioned | null): Promise<number> {
  const limit = before && positionIn(before) > start ? positionIn(before) : null
  if (limit !== null && limit - start >= 2) return middle(start, limit)
  const followers = await followersOf(tx, scope, start, issueId, maxMoved)
  const [next] = followers
  if (!next) return start + distance
  if (positionIn(next) - start >= 2) return middle(start, positionIn(next))
  return giveWay(tx, scope, start, followers)
}

/** A position before an issue. */
async function positionAhead(tx: Tx, scope: OrderScope, issueId: number, before: Positioned | null): Promise<number> {
  if (!before) throw misplaced()
  const end = positionIn(before)
  const start = await positionBefore(tx, scope, end, issueId)
  if (start === null) return end - distance
  if (end - start >= 2) return middle(start, end)
  return giveWay(tx, scope, start, await followersOf(tx, scope, start, issueId, maxMoved))
}

function middle(start: number, end: number): number {
  return Math.floor((start + end) / 2)
}

/** Moves as few issues after a position as necessary to make room behind it, and returns a position there. */
async function giveWay(tx: Tx, scope: OrderScope, start: number, followers: Positioned[]): Promise<number> {
  const end = followers.findIndex((issue, index) => positionIn(issue) - start >= (index + 1) * minDistance)
  const moved = end === -1 ? followers : followers.slice(0, end)
  const room = end === -1 ? distance : Math.floor((positionIn(followers[end] as Positioned) - start) / (moved.length + 1))
  const last = followers.at(-1)
  if (end === -1 && last) await shiftAll(tx, scope, positionIn(last), (moved.length + 1) * distance)
  for (const [index, { id }] of moved.entries()) await setPosition(tx, id, start + (index + 1) * room)
  return start + Math.floor(room / 2)
}
