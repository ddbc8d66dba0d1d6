/** The columns of a board with their issues, and moves of issues between them. */
import { findProject } from '../../../access/find.ts'
import { canManageIssue, canUpdateIssue } from '../../../access/issues.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Board, Issue, User } from '../../../db/tables.ts'
import { forbidden, invalid, notFound } from '../../../failure.ts'
import { columnsOf, type Place } from '../../../http/declare/places.ts'
import { type ListScope, labelIds, peopleIds } from '../issuables/issuables.ts'
import { type Neighbours, placeIssue } from '../issue-order/issue-order.ts'
import { changeIssueIn, type IssueChange, type IssueFilter, lockIssue } from '../issues/issues.ts'
import { labelsOnBoards, listsOfBoards, type PlacedList } from './boards.queries.ts'
import { type Column, issueOnBoard, pageOfColumn } from './columns.queries.ts'

/** The name of a column: an implicit one, or the id of a list. */
export type ColumnName = 'open' | 'closed' | number

export interface ShownColumn {
  name: ColumnName
  /** Null for an implicit column. */
  list: PlacedList | null
  rows: Issue[]
  total: number
}

/** Maximum of lists whose issues are shown. */
const maxShown = 50

/**
 * The columns of the board in order, each with the first issues that match the filter and that the viewer can see: four statements per
 * column.
 */
export async function columnsOfBoard(
  app: App,
  viewer: Viewer,
  place: Place,
  board: Board,
  filter: IssueFilter,
  limit: number,
): Promise<ShownColumn[]> {
  const lists = await listsOf(app, board)
  const names: ColumnName[] = [
    ...(board.hide_backlog_list ? [] : ['open' as const]),
    ...lists.slice(0, maxShown).map(({ id }) => id),
    ...(board.hide_closed_list ? [] : ['closed' as const]),
  ]
  const shown: ShownColumn[] = []
  for (const name of names) shown.push(await shownColumn(app, viewer, place, lists, name, filter, { limit, offset: 0 }))
  return shown
}

/** A later page of one column. Throws 404 for a list that isn't on the board. */
export async function columnOfBoard(
  app: App,
  viewer: Viewer,
  place: Place,
  board: Board,
  name: ColumnName,
  filter: IssueFilter,
  page: { limit: number; offset: number },
): Promise<ShownColumn> {
  return shownColumn(app, viewer, place, await listsOf(app, board), name, filter, page)
}

async function shownColumn(
  app: App,
  viewer: Viewer,
  place: Place,
  lists: PlacedList[],
  name: ColumnName,
  filter: IssueFilter,
  page: { limit: number; offset: number },
): Promise<ShownColumn> {
  const list = listNamed(lists, name)
  const { rows, total } = await pageOfColumn(app.db, viewer, scopeOf(place), filter, columnNamed(lists, name), page)
  return { name, list, rows, total }
}

async function listsOf(app: App, board: Board): Promise<PlacedList[]> {
  return (await listsOfBoards(app.db, [board.id])).get(board.id) ?? []
}

function listNamed(lists: PlacedList[], name: ColumnName): PlacedList | null {
  if (typeof name !== 'number') return null
  const list = lists.find(({ id }) => id === name)
  if (!list) throw notFound('List')
  return list
}

function columnNamed(lists: PlacedList[], name: ColumnName): Column {
  const list = listNamed(lists, name)
  if (list) return { kind: 'label', label_id: list.label_id }
  return name === 'closed' ? { kind: 'closed' } : { kind: 'open', except_label_ids: lists.map(({ label_id }) => label_id) }
}

function scopeOf({ kind, row }: Place): ListScope {
  return kind === 'project' ? { project_id: row.id } : { group_id: row.id }
}

export interface Move extends Neighbours {
  from: ColumnName
  to: ColumnName
}

/**
 * Moves an issue to another column or position, and changes its labels and state accordingly. Throws 404 for an unknown issue or list, 403
 * if the user may not change it, 400 for a missing target, 422 for invalid neighbors; nothing is changed then.
 */
export async function moveIssue(app: App, user: User, place: Place, board: Board, issueId: number, move: Move): Promise<Issue> {
  const { from, to, after_id, before_id } = move
  const hasNeighbour = (after_id ?? before_id) !== undefined
  if (from === to && !hasNeighbour) throw invalid('The issue is there already')
  const issue = await issueOnBoard(app.db, user, scopeOf(place), issueId)
  if (!issue) throw notFound('Issue')
  const access = await findProject(app.db, String(issue.project_id), user)
  const assignees = await peopleIds(app.db, 'issue_assignees', issue.id)
  if (access.project.archived || !canUpdateIssue(access, issue, assignees, user)) throw forbidden()
  const lists = await listsOf(app, board)
  const [source, target] = [listNamed(lists, from), listNamed(lists, to)]
  return inTransaction(app.db, async (tx) => {
    await lockIssue(tx, issue.id)
    const labels = await labelIds(tx, 'issue_labels', issue.id)
    // Moved from a list to an implicit column, an issue loses the labels of all boards of the place, so that it is on no list.
    const removed = target ? (source ? [source.label_id] : []) : await labelsOnBoards(tx, columnsOf(place))
    const after = [...new Set([...labels.filter((id) => !removed.includes(id)), ...(target ? [target.label_id] : [])])]
    const isRelabelled = from !== to && (after.length !== labels.length || after.some((id) => !labels.includes(id)))
    if (isRelabelled && !canManageIssue(access)) throw forbidden()
    const change: IssueChange = { label_ids: isRelabelled ? after : undefined, state: from === to ? undefined : stateAfter(from, to) }
    const changed = await changeIssueIn(tx, { user, ...access }, issue.id, change)
    if (hasNeighbour) await placeIssue(tx, columnsOf(place), user, issue.id, { after_id, before_id })
    return changed
  })
}

/** Undefined if it doesn't change. */
function stateAfter(from: ColumnName, to: ColumnName): IssueChange['state'] {
  if (to === 'closed') return 'closed'
  return from === 'closed' ? 'opened' : undefined
}
