/** Boards as JSON. */
import type { LocatedGroup, LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import type { Board, User } from '../../../db/tables.ts'
import type { Presented } from '../../../http/schema.ts'
import { webUrl } from '../../../links.ts'
import { presentProject } from '../../spaces/projects/projects.ts'
import { presentLabelBrief } from '../labels/labels.ts'
import type { PlacedList } from './boards.queries.ts'
import type { BoardList, GroupBoard, ProjectBoard } from './boards.schema.ts'

export function presentList({ id, label, position }: PlacedList): Presented<typeof BoardList> {
  return { id, label: presentLabelBrief(label), position }
}

/** The project as boards name it. */
export async function presentProjectOfBoard(app: App, project: LocatedProject, viewer: User): Promise<ProjectOfBoard> {
  const simple = await presentProject(app, project, viewer, { simple: true })
  return {
    id: simple.id,
    name: simple.name,
    name_with_namespace: simple.name_with_namespace,
    path: simple.path,
    path_with_namespace: simple.path_with_namespace,
    http_url_to_repo: simple.http_url_to_repo,
    web_url: simple.web_url,
  }
}

type ProjectOfBoard = Presented<typeof ProjectBoard>['project']

export function presentProjectBoard(project: ProjectOfBoard, board: Board, lists: PlacedList[]): Presented<typeof ProjectBoard> {
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
    group_id: group.id,
    group: { id: group.id, name: group.name, web_url: webUrl(config, `groups/${group.full_path}`) },
    milestone: null,
    lists: lists.map(presentList),
  }
}
