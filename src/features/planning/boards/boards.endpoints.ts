/** Boards of projects and groups, and their lists (spec 4.16): one family, declared once. */
import { type TObject, Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { Board as BoardRow, User } from '../../../db/tables.ts'
import { type Endpoint, endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { columnsOf, onProjectsAndGroups, type Place, type PlaceKind } from '../../../http/declare/places.ts'
import { Id, none } from '../../../http/parameters/schema.ts'
import { presentProject } from '../../spaces/projects/projects.ts'
import { boardToChange, boardToRead, listToDelete, listToMove, listToRead, readingBoards, writingBoards } from './boards.access.ts'
import { presentGroupBoard, presentList, presentProjectBoard } from './boards.present.ts'
import { deleteBoard, listBoards, listsOfBoards, pageOfLists } from './boards.queries.ts'
import { BoardList, GroupBoard, ProjectBoard } from './boards.schema.ts'
import { changeBoard, createBoard, createList, moveList, removeList } from './boards.service.ts'

const fields = {
  hide_backlog_list: Type.Optional(Type.Boolean()),
  hide_closed_list: Type.Optional(Type.Boolean()),
}

const listsOf = (kind: PlaceKind): Endpoint[] => [
  listEndpoint(`GET /${kind}s/:id/boards/:board_id/lists`, {
    summary: `List the lists of a board of a ${kind}; the columns of open and closed issues are implied`,
    access: boardToRead(kind),
    item: BoardList,
    async handle({ app, board, page }) {
      const { rows, total } = await pageOfLists(app.db, board.id, page)
      return { rows: rows.map(presentList), total }
    },
  }),
  endpoint(`GET /${kind}s/:id/boards/:board_id/lists/:list_id`, {
    summary: `Get a list of a board of a ${kind}`,
    access: listToRead(kind),
    reply: BoardList,
    handle: ({ list }) => presentList(list),
  }),
  endpoint(`POST /${kind}s/:id/boards/:board_id/lists`, {
    summary: `Create a list of a label on a board of a ${kind}`,
    access: boardToChange(kind),
    body: { label_id: Id },
    reply: BoardList,
    handle: async ({ app, place, board, body }) => presentList(await createList(app, place, board, body.label_id)),
  }),
  endpoint(`PUT /${kind}s/:id/boards/:board_id/lists/:list_id`, {
    summary: `Move a list of a board of a ${kind} to another position`,
    access: listToMove(kind),
    body: { position: Type.Integer({ description: 'From 0' }) },
    reply: BoardList,
    handle: async ({ app, board, list, body }) => presentList(await moveList(app, board, list, body.position)),
  }),
  endpoint(`DELETE /${kind}s/:id/boards/:board_id/lists/:list_id`, {
    summary: `Delete a list of a board of a ${kind}; its issues keep their label`,
    access: listToDelete(kind),
    reply: none,
    lastChanged: ({ list }) => list.updated_at,
    async handle({ app, board, list }) {
      await removeList(app, board, list)
      return null
    },
  }),
]

const boardsOf = (kind: PlaceKind, reply: TObject): Endpoint[] => [
  listEndpoint(`GET /${kind}s/:id/boards`, {
    summary: `List the boards of a ${kind}`,
    access: readingBoards(kind),
    item: reply,
    async handle({ app, user, place, page }) {
      const { rows, total } = await listBoards(app.db, columnsOf(place), page)
      return { rows: await present(app, user, place, rows), total }
    },
  }),
  endpoint(`GET /${kind}s/:id/boards/:board_id`, {
    summary: `Get a board of a ${kind}`,
    access: boardToRead(kind),
    reply,
    handle: ({ app, user, place, board }) => presentOne(app, user, place, board),
  }),
  endpoint(`POST /${kind}s/:id/boards`, {
    summary: `Create a board in a ${kind}`,
    access: writingBoards(kind),
    body: { name: Type.String(), ...fields },
    reply,
    handle: async ({ app, user, place, body }) => presentOne(app, user, place, await createBoard(app, place, body)),
  }),
  endpoint(`PUT /${kind}s/:id/boards/:board_id`, {
    summary: `Update a board of a ${kind}`,
    access: boardToChange(kind),
    body: { name: Type.Optional(Type.String()), ...fields },
    atLeastOne: ['name', 'hide_backlog_list', 'hide_closed_list'],
    reply,
    handle: async ({ app, user, place, board, body }) => presentOne(app, user, place, await changeBoard(app, board, body)),
  }),
  endpoint(`DELETE /${kind}s/:id/boards/:board_id`, {
    summary: `Delete a board of a ${kind}`,
    access: boardToChange(kind),
    reply: none,
    lastChanged: ({ board }) => board.updated_at,
    async handle({ app, board }) {
      await deleteBoard(app.db, board.id)
      return null
    },
  }),
]

export const boards = onProjectsAndGroups((kind) => [...boardsOf(kind, kind === 'project' ? ProjectBoard : GroupBoard), ...listsOf(kind)])

/** One statement for all their lists. */
async function present(app: App, user: User, place: Place, rows: BoardRow[]) {
  const lists = await listsOfBoards(
    app.db,
    rows.map(({ id }) => id),
  )
  if (place.kind === 'group') return rows.map((row) => presentGroupBoard(app.config, place.row, row, lists.get(row.id) ?? []))
  const project = await presentProject(app, place.row, user, { simple: true })
  return rows.map((row) => presentProjectBoard(project, row, lists.get(row.id) ?? []))
}

async function presentOne(app: App, user: User, place: Place, row: BoardRow) {
  const [presented] = await present(app, user, place, [row])
  return presented as NonNullable<typeof presented>
}
