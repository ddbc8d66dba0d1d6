/** Inserts the planning of an archive: labels, milestones, issues and merge requests with everything on them, boards. */
import { createHash } from 'node:crypto'
import type { Tx } from '../../../db/database.ts'
import { nextNumber } from '../../spaces/numbering/numbering.ts'
import {
  archiveError,
  exactlyOne,
  lists,
  listTables,
  needed,
  type PlanningTable,
  people,
  peopleLists,
  type Reference,
  references,
} from '../archive/archive.ts'
import { insertMany, insertOne, titled } from './restore-planning.queries.ts'
import { addReview } from './restore-review.ts'
import { addSnippet } from './restore-snippets.queries.ts'
import type { Line, RestoringPlanning } from './restoring.ts'

/** Tables whose rows other rows refer to. */
const named: readonly PlanningTable[] = [
  'labels',
  'milestones',
  'issues',
  'merge_requests',
  'merge_request_versions',
  'snippets',
  'notes',
  'boards',
]

export async function insertPlanning(restoring: RestoringPlanning, tx: Tx, table: PlanningTable, page: Line[]): Promise<void> {
  if (!named.includes(table)) {
    const rows = page.map((line) => rowOf(restoring, table, line))
    return insertMany(
      tx,
      table,
      rows.filter((row) => row !== null),
    )
  }
  const ids = restoring.planning.get(table) ?? new Map<number, number | null>()
  restoring.planning.set(table, ids)
  for (const line of page) {
    const row = rowOf(restoring, table, line)
    const id = row && (await insertNamed(restoring, tx, table, line, row))
    ids.set(line.id as number, id)
    if (id !== null && (table === 'issues' || table === 'merge_requests')) await insertBelongings(restoring, tx, table, id, line)
  }
}

async function insertNamed({ project_id }: RestoringPlanning, tx: Tx, table: PlanningTable, line: Line, row: Line): Promise<number | null> {
  if (table !== 'labels' && table !== 'milestones') return insertOne(tx, table, row)
  const title = line.title as string
  const found = line.inherited ? await titled(tx, table, { project_id, above: true }, title) : null
  // The number within the group of the archive may belong to another milestone here.
  const numbered =
    table === 'milestones' && line.inherited && found === null ? { iid: await nextNumber(tx, { project_id }, 'milestone') } : {}
  const id =
    found ?? (await insertOne(tx, table, { ...row, ...numbered })) ?? (await titled(tx, table, { project_id, above: false }, title))
  if (id !== null && table === 'labels' && line.priority !== null) {
    await insertMany(tx, 'label_priorities', [{ project_id, label_id: id, priority: line.priority }])
  }
  return id
}

async function insertBelongings(
  restoring: RestoringPlanning,
  tx: Tx,
  of: 'issues' | 'merge_requests',
  id: number,
  line: Line,
): Promise<void> {
  const owner = of === 'issues' ? 'issue_id' : 'merge_request_id'
  for (const [list, [table, column]] of Object.entries(listTables[of])) {
    const name = lists[list as keyof typeof lists]
    const rowsOf = name ? (number: number) => idOf(restoring, name, number) : restoring.people.userOf
    const found = (line[list] as number[]).map(rowsOf).filter((one) => one !== null)
    await insertMany(
      tx,
      table,
      found.map((one) => ({ [owner]: id, [column]: one })),
    )
  }
}

/** Properties that aren't columns. */
const apart = new Set<string>([
  ...['id', 'inherited', 'priority', 'discussion', 'person', 'own_source'],
  ...peopleLists,
  ...Object.keys(lists),
])

/** Null if the line refers to a line without a row, and for a row that makes no sense without a user who has no account here. */
function rowOf(restoring: RestoringPlanning, table: PlanningTable, line: Line): Line | null {
  const { project_id } = restoring
  const row: Line = {}
  requireOne(table, line)
  for (const [name, value] of Object.entries(line)) {
    if (name in references) {
      const id = value === null ? null : idOf(restoring, name as Reference, value as number)
      if (value !== null && id === null && needed[table]?.includes(name as Reference)) return null
      row[references[name as Reference].column] = id
    } else if (!apart.has(name) && !(name in people)) row[name] = value
  }
  if (!addPeople(restoring, table, line, row)) return null
  if (inProject.includes(table) || (table === 'subscriptions' && row.label_id !== null)) row.project_id = project_id
  if (line.discussion !== undefined) row.discussion_id = discussionIn(project_id, line.discussion as string)
  addTexts(restoring, table, line, row)
  addReview(restoring, table, line, row)
  addSnippet(table, line, row)
  return row
}

const inProject: readonly PlanningTable[] = [
  ...(['internal_ids', 'labels', 'milestones', 'issues', 'merge_requests', 'snippets', 'notes', 'boards', 'events'] as const),
]

/** A note on two things would be visible to users who can see either. */
function requireOne(table: PlanningTable, line: Line): void {
  const names = exactlyOne[table]
  // A note on a commit of a merge request is on the merge request.
  const isOnCommit = table === 'notes' && (line.commit_oid ?? null) !== null
  const on = names?.filter((name) => (line[name] ?? null) !== null) ?? []
  if (isOnCommit ? on.length > 1 || (on[0] ?? 'merge_request') !== 'merge_request' : names && on.length !== 1)
    throw archiveError(`has a line in tables/${table}.jsonl that is not on one thing`)
}

/** Rows that are about one person: if that person has no account here, nobody else may get them. */
const personal: readonly PlanningTable[] = ['subscriptions', 'merge_request_reviewers', 'approvals']

/** False if the row makes no sense without the person. */
function addPeople({ people: known, importer }: RestoringPlanning, table: PlanningTable, line: Line, row: Line): boolean {
  for (const [name, column] of Object.entries(people)) {
    if (!(name in line)) continue
    const user = known.userOf(line[name] as number | null)
    row[column] = name === 'author' ? (user ?? importer.id) : user
  }
  if (!('person' in line)) return true
  const user = known.userOf(line.person as number | null)
  if (user === null && personal.includes(table)) return false
  row[table === 'events' ? 'author_id' : 'user_id'] = user ?? importer.id
  return true
}

function addTexts({ project_id, relink, noted }: RestoringPlanning, table: PlanningTable, line: Line, row: Line): void {
  if (typeof row.description === 'string') row.description = relink(row.description)
  if (table !== 'notes') return
  if (line.system && toldByCommit.test(line.body as string)) row.about_project_id = project_id
  const body = relink(line.body as string)
  row.body = line.system ? body : noted(body, line.created_at as string, line.author as number | null)
}

/** Archives only have such notes if the commit is in the project itself: they are visible to users who can read its code. */
const toldByCommit = /^mentioned in commit [0-9a-f]{40,64}$/

/** Two copies of a project in one instance must not share discussions. */
function discussionIn(project_id: number, discussion: string): string {
  return createHash('sha1').update(`${project_id} ${discussion}`).digest('hex')
}

function idOf({ planning }: RestoringPlanning, name: Reference, line: number): number | null {
  const id = planning.get(references[name].table)?.get(line)
  if (id !== undefined) return id
  // A later line may be the one that an issue duplicates, or that a system note is about.
  if (name === 'duplicated_to' || name.startsWith('about_')) return null
  throw archiveError(`refers to a line of tables/${references[name].table}.jsonl that it lacks`)
}
