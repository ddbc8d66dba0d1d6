/** The boards of projects and groups, declared once. */
import { Type } from 'typebox'
import { placeAddress } from '../../../addresses/places.ts'
import { boardAddress } from '../../../addresses/planning.ts'
import type { Board } from '../../../db/tables.ts'
import {
  changeBoard,
  createBoard,
  createList,
  deleteBoard,
  findBoard,
  findList,
  listBoards,
  moveIssue,
  moveList,
  removeList,
} from '../../../features/planning/boards/boards.ts'
import {
  columnsOf,
  onProjectOrGroup,
  type PlaceGranted,
  type PlaceKind,
  unarchivedPlace,
  usingPlace,
} from '../../../http/declare/places.ts'
import type { Needed } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { action, type Page, page, type Typed } from '../../frame/declaration.ts'
import type { Framed } from '../places/places.ts'
import { boardView, noBoardView } from './board-view.ts'
import { columnIn, labelOfColumn } from './columns.ts'
import type { Seen } from './seen.ts'
import { sentences } from './sentences.ts'

const board = nested({ board_id: Id }, async ({ place }: PlaceGranted, { board_id }, app) => ({
  board: await findBoard(app.db, place, board_id),
}))

const settings = {
  name: Type.String({ default: '' }),
  hide_backlog_list: Type.Optional(Type.Boolean()),
  hide_closed_list: Type.Optional(Type.Boolean()),
}
const column = Type.String({ maxLength: 20 })

export function boardPages(kind: PlaceKind, framed: Framed): Page[] {
  const base = kind === 'project' ? '/:project/boards' : '/groups/:group/-/boards'
  const rule = (needed: Needed) => usingPlace(['issues'], onProjectOrGroup(kind, needed))
  const seeing = within(usingPlace(['issues'], onProjectOrGroup(kind, 'visible')), board)
  const managing = unarchivedPlace(rule('manage_boards'))
  const changing = within(managing, board)
  const list = nested({ list_id: Id }, async ({ board }: PlaceGranted & { board: Parameters<typeof findList>[1] }, { list_id }, app) => ({
    list: await findList(app.db, board, list_id),
  }))
  /** The board again, with the error. */
  const refusedOn = async (seen: Seen & { board: Board }, typed: Typed) => framed(seen, await boardView(seen, { refused: typed }))
  return [
    page(`GET ${base}`, {
      access: usingPlace(['issues'], onProjectOrGroup(kind, 'visible')),
      async show(seen) {
        const { rows } = await listBoards(seen.app.db, columnsOf(seen.place), { limit: 1, offset: 0 })
        return rows[0] ? { redirect: boardAddress(seen.place, rows[0]), status: 302 } : framed(seen, noBoardView(seen))
      },
    }),
    page(`GET ${base}/:board_id`, {
      access: seeing,
      query: { search: Type.String({ default: '', maxLength: 1_000 }) },
      show: async ({ sent, ...seen }) => framed(seen, await boardView(seen, sent)),
    }),
    action(`POST ${base}`, {
      access: managing,
      form: { name: settings.name },
      async act({ app, place, sent }) {
        const created = await createBoard(app, place, sent)
        return { redirect: boardAddress(place, created), notice: sentences.created(created.name) }
      },
      again: (seen, typed: Typed) => framed(seen, noBoardView(seen, typed)),
    }),
    action(`POST ${base}/:board_id`, {
      access: changing,
      form: settings,
      async act({ app, place, board, sent }) {
        return { redirect: boardAddress(place, await changeBoard(app, board, sent)), notice: sentences.saved }
      },
      again: async (seen, typed: Typed) => framed(seen, await boardView(seen, { settings: typed })),
    }),
    action(`POST ${base}/:board_id/remove`, {
      access: changing,
      async act({ app, place, board }) {
        await deleteBoard(app.db, board.id)
        return { redirect: placeAddress(place, 'boards'), notice: sentences.deleted(board.name) }
      },
    }),
    action(`POST ${base}/:board_id/lists`, {
      access: changing,
      form: { label_id: Id },
      async act({ app, place, board, sent }) {
        const { label } = await createList(app, place, board, sent.label_id)
        return { redirect: boardAddress(place, board), notice: sentences.listAdded(label.title) }
      },
      again: refusedOn,
    }),
    action(`POST ${base}/:board_id/lists/:list_id/move`, {
      access: within(changing, list),
      form: { position: Type.Integer({ minimum: 0, maximum: 10_000 }) },
      async act({ app, place, board, list, sent }) {
        await moveList(app, board, list, sent.position)
        return { redirect: boardAddress(place, board), notice: sentences.listMoved(list.label.title) }
      },
    }),
    action(`POST ${base}/:board_id/lists/:list_id/remove`, {
      access: within(within(unarchivedPlace(rule('delete_board_lists')), board), list),
      async act({ app, place, board, list }) {
        await removeList(app, board, list)
        return { redirect: boardAddress(place, board), notice: sentences.listRemoved(list.label.title) }
      },
    }),
    action(`POST ${base}/:board_id/issues`, {
      // Authors and assignees may close and reopen theirs: `moveIssue` decides.
      access: within(unarchivedPlace(rule('signed-in')), board),
      form: { issue_id: Id, from: column, to: column, before_id: Type.Optional(Id), after_id: Type.Optional(Id) },
      async act({ app, user, place, board, sent: { issue_id, from, to, ...neighbours } }) {
        const { title } = await moveIssue(app, user, place, board, issue_id, { from: columnIn(from), to: columnIn(to), ...neighbours })
        return { redirect: boardAddress(place, board), notice: sentences.moved(title, await labelOfColumn(app, board, columnIn(to))) }
      },
      again: refusedOn,
    }),
  ]
}
