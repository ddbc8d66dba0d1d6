/** SQL for boards of projects and groups, and their lists. */
import { sql } from 'kysely'
import { type Db, lockedRows, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Board, BoardList, Label } from '../../../db/tables.ts'

/** The place of boards: a project or a group. */
export type BoardPlace = { project_id: number } | { namespace_id: number }

export type BoardFields = Pick<Board, 'name' | 'hide_backlog_list' | 'hide_closed_list'>

/** A list with its label; `position` is its index among those of the board, from 0. */
export interface PlacedList extends BoardList {
  stored_position: number
  label: Pick<Label, 'id' | 'title' | 'color' | 'description'>
}

/** Oldest first. */
export function listBoards(db: Db, place: BoardPlace, page: PageOf): Promise<{ rows: Board[]; total: number }> {
  return paginate(boardsAt(db, place).orderBy('id'), page)
}

export async function boardAt(db: Db, place: BoardPlace, id: number): Promise<Board | null> {
  return (await boardsAt(db, place).where('id', '=', id).executeTakeFirst()) ?? null
}

export async function boardById(db: Db, id: number): Promise<Board | null> {
  return (await db.selectFrom('boards').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

function boardsAt(db: Db, place: BoardPlace) {
  const boards = db.selectFrom('boards').selectAll()
  return 'project_id' in place ? boards.where('project_id', '=', place.project_id) : boards.where('namespace_id', '=', place.namespace_id)
}

export function insertBoard(tx: Tx, place: BoardPlace, fields: Partial<BoardFields> & { name: string }): Promise<Board> {
  const created_at = now()
  const at =
    'project_id' in place ? { project_id: place.project_id, namespace_id: null } : { project_id: null, namespace_id: place.namespace_id }
  return tx
    .insertInto('boards')
    .values({ ...at, ...fields, created_at, updated_at: created_at })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function updateBoard(tx: Tx, id: number, fields: Partial<BoardFields>): Promise<Board | null> {
  const changed = tx
    .updateTable('boards')
    .set({ ...fields, updated_at: now() })
    .where('id', '=', id)
  return (await changed.returningAll().executeTakeFirst()) ?? null
}

export async function deleteBoard(db: Db, id: number): Promise<void> {
  await db.deleteFrom('boards').where('id', '=', id).execute()
}

/** Locked until the transaction ends, so that changes of its lists are serialized. Null if it was deleted meanwhile. */
export async function lockBoard(tx: Tx, id: number): Promise<Board | null> {
  return (await lockedRows(tx, tx.selectFrom('boards').selectAll().where('id', '=', id)).executeTakeFirst()) ?? null
}

/** The lists of each board, in their order. */
export async function listsOfBoards(db: Db, boardIds: number[]): Promise<Map<number, PlacedList[]>> {
  const found = boardIds.length === 0 ? [] : await listRows(db, boardIds).orderBy('position').execute()
  const lists = new Map<number, PlacedList[]>(boardIds.map((id) => [id, []]))
  for (const row of found) lists.get(row.board_id)?.push(placedList(row))
  return lists
}

export async function pageOfLists(db: Db, boardId: number, page: PageOf): Promise<{ rows: PlacedList[]; total: number }> {
  const { rows, total } = await paginate(listRows(db, [boardId]).orderBy('position'), page)
  return { rows: rows.map(placedList), total }
}

export async function listAt(db: Db, boardId: number, id: number): Promise<PlacedList | null> {
  const found = await listRows(db, [boardId]).where('id', '=', id).executeTakeFirst()
  return found ? placedList(found) : null
}

function listRows(db: Db, boardIds: number[]) {
  // Stored positions have gaps where a label was deleted.
  const place = sql<number>`row_number() over (partition by board_lists.board_id order by board_lists.position, board_lists.id) - 1`
  const numbered = db
    .selectFrom('board_lists')
    .innerJoin('labels', 'labels.id', 'board_lists.label_id')
    .where('board_lists.board_id', 'in', boardIds)
    .select([
      'board_lists.id',
      'board_lists.board_id',
      'board_lists.label_id',
      place.as('position'),
      'board_lists.position as stored_position',
      'board_lists.created_at',
      'board_lists.updated_at',
      'labels.title',
      'labels.color',
      'labels.description',
    ])
  return db.selectFrom(numbered.as('lists')).selectAll()
}

type ListRow = Omit<PlacedList, 'label'> & Pick<Label, 'title' | 'color' | 'description'>

function placedList({ title, color, description, ...list }: ListRow): PlacedList {
  return { ...list, label: { id: list.label_id, title, color, description } }
}

/** Throws a unique violation if the board already has a list of this label. */
export async function insertList(tx: Tx, board_id: number, label_id: number, position: number): Promise<number> {
  const created_at = now()
  const list = { board_id, label_id, position, created_at, updated_at: created_at }
  return (await tx.insertInto('board_lists').values(list).returning('id').executeTakeFirstOrThrow()).id
}

export async function setListPosition(tx: Tx, id: number, position: number): Promise<void> {
  await tx.updateTable('board_lists').set({ position, updated_at: now() }).where('id', '=', id).execute()
}

export async function deleteList(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('board_lists').where('id', '=', id).execute()
}

/** The labels of all lists on the boards of a place. */
export async function labelsOnBoards(db: Db, place: BoardPlace): Promise<number[]> {
  const boards = boardsAt(db, place).clearSelect().select('id')
  const found = await db.selectFrom('board_lists').select('label_id').distinct().where('board_id', 'in', boards).execute()
  return found.map(({ label_id }) => label_id)
}
