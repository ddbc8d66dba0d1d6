/** Restores what belongs to imported groups: members, labels, milestones, boards and badges. */
import type { LocatedGroup } from '../../../access/find.ts'
import type { Tx } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { archiveError, page_rows } from '../archive/archive.ts'
import type { People } from '../archive-imports/archive-imports.ts'
import type { Line, Lines } from './group-format.ts'
import { countMilestones, insertBoard, insertLabels, insertRows } from './restore.queries.ts'

interface Restoring {
  /** The new groups, by their numbers in the archive. */
  groups: Map<number, LocatedGroup>
  lines: Lines
  people: People
  importer: User
}

export async function restoreRows(tx: Tx, restoring: Restoring): Promise<void> {
  const { lines } = restoring
  const placed = <L extends { group: number }>({ group, ...line }: L) => ({
    ...line,
    project_id: null,
    namespace_id: groupOf(restoring, group).id,
  })
  for (const page of pages(membersOf(restoring))) await insertRows(tx, 'members', page)
  const labels = await restoreLabels(tx, restoring)
  for (const page of pages(lines.milestones.map(placed))) await insertRows(tx, 'milestones', page)
  await countMilestones(
    tx,
    [...restoring.groups.values()].map(({ id }) => id),
  )
  const boards = new Map<number, { id: number; group: number }>()
  for (const { id, ...line } of lines.boards) boards.set(id, { id: await insertBoard(tx, placed(line)), group: line.group })
  const parents = new Map(lines.groups.map(({ id, parent }) => [id, parent]))
  const lists = lines.board_lists.map(({ board: onBoard, label: ofLabel, ...line }) => {
    const [board, label] = [boards.get(onBoard), labels.get(ofLabel)]
    if (!board || !label || !isAbove(parents, label.group, board.group)) throw archiveError('has a list of a label that its board lacks')
    return { ...line, board_id: board.id, label_id: label.id }
  })
  for (const page of pages(lists)) await insertRows(tx, 'board_lists', page)
  for (const page of pages(lines.badges.map(placed))) await insertRows(tx, 'badges', page)
}

function groupOf({ groups }: Restoring, number: number): LocatedGroup {
  const group = groups.get(number)
  if (!group) throw archiveError('refers to a group that it lacks')
  return group
}

/** Whether the first group is the second one, or above it. */
function isAbove(parents: ReadonlyMap<number, number | null>, above: number, below: number): boolean {
  for (let at: number | null | undefined = below; at !== null && at !== undefined; at = parents.get(at)) if (at === above) return true
  return false
}

/** Members in an archive that an administrator imports. The importer owns the first group, and so all of them. */
function membersOf(restoring: Restoring) {
  const { lines, people, importer } = restoring
  if (!importer.admin) return []
  return lines.members.flatMap(({ group, person, ...line }) => {
    const user_id = people.userOf(person)
    return user_id === null || user_id === importer.id
      ? []
      : { ...line, project_id: null, namespace_id: groupOf(restoring, group).id, user_id }
  })
}

/** By their numbers in the archive. Two with the same title in one group become one. */
async function restoreLabels(tx: Tx, restoring: Restoring): Promise<Map<number, { id: number; group: number }>> {
  const keyOf = (namespace_id: number | null, title: string) => `${namespace_id} ${title}`
  const ids = new Map<string, number>()
  const rowOf = ({ id: _, group, ...line }: Line<'labels'>) => ({
    ...line,
    project_id: null,
    namespace_id: groupOf(restoring, group).id,
  })
  for (const page of pages(restoring.lines.labels.map(rowOf)))
    for (const { id, namespace_id, title } of await insertLabels(tx, page)) ids.set(keyOf(namespace_id, title), id)
  return new Map(
    restoring.lines.labels.flatMap(({ id: number, group, title }) => {
      const id = ids.get(keyOf(groupOf(restoring, group).id, title))
      return id === undefined ? [] : [[number, { id, group }]]
    }),
  )
}

function* pages<R>(rows: R[]): Generator<R[]> {
  for (let at = 0; at < rows.length; at += page_rows) yield rows.slice(at, at + page_rows)
}
