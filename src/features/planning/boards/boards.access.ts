/** Access rules of boards: everyone who can see the place can read them, reporters can change them, owners can delete lists (spec 4.16). */
import { asId } from '../../../access/find.ts'
import type { Board } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { onProjectOrGroup, type PlaceGranted, type PlaceKind, unarchivedPlace, usingPlace } from '../../../http/declare/places.ts'
import { type Access, anyone, type Needed } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { boardById } from './boards.queries.ts'
import { findBoard, findList } from './boards.service.ts'

/** Grants the board in `:board_id`, of the place itself. */
const board = nested({ board_id: Id }, async ({ place }: PlaceGranted, { board_id }, app) => ({
  board: await findBoard(app.db, place, board_id),
}))

/** Grants the list in `:list_id`, of the board. */
const list = nested({ list_id: Id }, async ({ board }: PlaceGranted & { board: Board }, { list_id }, app) => ({
  list: await findList(app.db, board, list_id),
}))

const forAll = (kind: PlaceKind, needed: Needed) => usingPlace(['issues'], onProjectOrGroup(kind, needed))

export const readingBoards = (kind: PlaceKind) => forAll(kind, 'signed-in')
export const writingBoards = (kind: PlaceKind) => unarchivedPlace(forAll(kind, 'manage_boards'))
export const boardToRead = (kind: PlaceKind) => within(readingBoards(kind), board)
export const boardToChange = (kind: PlaceKind) => within(writingBoards(kind), board)
export const listToRead = (kind: PlaceKind) => within(boardToRead(kind), list)
export const listToMove = (kind: PlaceKind) => within(boardToChange(kind), list)
export const listToDelete = (kind: PlaceKind) => within(within(unarchivedPlace(forAll(kind, 'delete_board_lists')), board), list)

/** Grants the place of the board with the id `:id`, to whoever can see the board. */
export function visibleBoard(): Access<PlaceGranted> {
  return {
    ...anyone(),
    description: 'Whoever can see the board.',
    signedInDescription: 'Any signed-in user who can see the board.',
    async grant(request) {
      const board = await boardById(request.app.db, asId(request.params.id ?? '') ?? 0)
      if (!board) throw notFound('Board')
      const rule = forAll(board.project_id === null ? 'group' : 'project', 'visible')
      return rule.grant({ ...request, params: { id: String(board.project_id ?? board.namespace_id) } })
    },
  }
}
