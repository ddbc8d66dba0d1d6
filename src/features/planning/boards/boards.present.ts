/** Boards as JSON. */
import type { LocatedGroup } from '../../../access/find.ts'
import { pageUrl } from '../../../addresses/links.ts'
import { groupAddress } from '../../../addresses/places.ts'
import type { Config } from '../../../config.ts'
import type { Board } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { ProjectSimple } from '../../spaces/projects/projects.schema.ts'
import { presentLabelBrief } from '../labels/labels.ts'
import type { PlacedList } from './boards.queries.ts'
import type { BoardList, GroupBoard, ProjectBoard } from './boards.schema.ts'

export function presentList({ id, label, position }: PlacedList): Presented<typeof BoardList> {
  return { id, label: presentLabelBrief(label), position }
}

export function presentProjectBoard(
  project: Presented<typeof ProjectSimple>,
  board: Board,
  lists: PlacedList[],
): Presented<typeof ProjectBoard> {
  return {
    id: board.id,
    name: board.name,
    hide_backlog_list: board.hide_backlog_list,
    hide_closed_list: board.hide_closed_list,
    project,
    milestone: null,
    lists: lists.map(presentList),
  }
}

export function presentGroupBoard(config: Config, group: LocatedGroup, board: Board, lists: PlacedList[]): Presented<typeof GroupBoard> {
  return {
    id: board.id,
    name: board.name,
    hide_backlog_list: board.hide_backlog_list,
    hide_closed_list: board.hide_closed_list,
    project: null,
    group_id: group.id,
    group: { id: group.id, name: group.name, web_url: pageUrl(config, groupAddress(group.full_path)) },
    milestone: null,
    lists: lists.map(presentList),
  }
}
