/** Rules of boards: one list per label, in an order without gaps. */
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import type { Board } from '../../../db/tables.ts'
import { Failure, invalid, notFound } from '../../../failure.ts'
import { columnsOf, type Place } from '../../../http/declare/places.ts'
import { assertValid, blankError, lengthError, withoutUndefined } from '../../../validation.ts'
import { labelsUsableIn } from '../labels/labels.ts'
import {
  type BoardFields,
  boardAt,
  deleteList,
  insertBoard,
  insertList,
  listAt,
  listsOfBoards,
  lockBoard,
  type PlacedList,
  setListPosition,
  updateBoard,
} from './boards.queries.ts'

const maxName_chars = 255

type SomeFields = { [F in keyof BoardFields]?: BoardFields[F] | undefined }

/** Throws 404. */
export async function findBoard(db: Db, place: Place, id: number): Promise<Board> {
  const board = await boardAt(db, columnsOf(place), id)
  if (!board) throw notFound('Board')
  return board
}

/** Throws 404. */
export async function findList(db: Db, board: Board, id: number): Promise<PlacedList> {
  const list = await listAt(db, board.id, id)
  if (!list) throw notFound('List')
  return list
}

/** Throws 400 for an invalid name. */
export function createBoard(app: App, place: Place, fields: SomeFields & { name: string }): Promise<Board> {
  const name = acceptName(fields.name)
  return inTransaction(app.db, (tx) => insertBoard(tx, columnsOf(place), { ...withoutUndefined(fields), name }))
}

/** Changes what is sent. Throws 400 for an invalid name, 404 if it was deleted meanwhile. */
export async function changeBoard(app: App, board: Board, fields: SomeFields): Promise<Board> {
  const sent = withoutUndefined(fields)
  const change = sent.name === undefined ? sent : { ...sent, name: acceptName(sent.name) }
  const changed = await inTransaction(app.db, (tx) => updateBoard(tx, board.id, change))
  if (!changed) throw notFound('Board')
  return changed
}

function acceptName(sent: string): string {
  const name = sent.trim()
  assertValid({ name: blankError(name) ?? (/\p{Cc}/u.test(name) ? 'is invalid' : lengthError(name, maxName_chars)) })
  return name
}

/** Appends a list for a label. Throws 400 for a label of another place, and for one that already has a list. */
export function createList(app: App, place: Place, board: Board, labelId: number): Promise<PlacedList> {
  return inTransaction(app.db, async (tx) => {
    const lists = await lockLists(tx, board)
    const [label] = await labelsUsableIn(tx, place, [labelId])
    if (!label) throw refusal('Label not found!')
    const position = (lists.at(-1)?.position ?? -1) + 1
    await renumber(tx, lists)
    const id = await insertList(tx, board.id, label.id, position).catch((error) => {
      throw isUniqueViolation(error) ? invalid({ label_id: ['has already been taken'] }, error) : error
    })
    return findList(tx, board, id)
  })
}

/** Moves a list to another position; those in between move by one. Throws 400 for an invalid position, and if nothing changes. */
export function moveList(app: App, board: Board, list: PlacedList, position: number): Promise<PlacedList> {
  return inTransaction(app.db, async (tx) => {
    const lists = await lockLists(tx, board)
    const current = lists.find(({ id }) => id === list.id)
    if (!current) throw notFound('List')
    if (position === current.position || position < 0 || position >= lists.length) throw refusal('List could not be moved!')
    const others = lists.filter(({ id }) => id !== list.id)
    await renumber(tx, [...others.slice(0, position), current, ...others.slice(position)])
    return findList(tx, board, list.id)
  })
}

export async function removeList(app: App, board: Board, list: PlacedList): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const lists = await lockLists(tx, board)
    await deleteList(tx, list.id)
    await renumber(
      tx,
      lists.filter(({ id }) => id !== list.id),
    )
  })
}

async function lockLists(tx: Tx, board: Board): Promise<PlacedList[]> {
  if (!(await lockBoard(tx, board.id))) throw notFound('Board')
  return (await listsOfBoards(tx, [board.id])).get(board.id) ?? []
}

/** Stores the order of all lists of a board. */
async function renumber(tx: Tx, lists: PlacedList[]): Promise<void> {
  for (const [position, { id, stored_position }] of lists.entries())
    if (stored_position !== position) await setListPosition(tx, id, position)
}

/** Clients expect the reason one level deeper here. */
function refusal(error: string): Failure {
  return new Failure('invalid', error, { body: { message: { error } } })
}
