/** A project full of issues beside those of all others, with what people and boards have of them, written straight into the database. */
import { type RawBuilder, sql } from 'kysely'
import { engineOf, openDatabase } from '../../src/db/database.ts'
import type { Forge } from '../forge.ts'
import { fill, member, type Size } from './people.ts'
import { sqlWords } from './sql-words.ts'

export interface PlanningSize extends Size {
  /** Rows of the measured project. */
  issues: number
  notes: number
  labels: number
  /** Issues of all other projects. */
  others: number
}

export const largePlanning: PlanningSize = {
  users: 5_000,
  groups: 1_000,
  projects: 10_000,
  issues: 10_000,
  notes: 100_000,
  labels: 500,
  others: 1_000_000,
}
export const smallPlanning: PlanningSize = { users: 50, groups: 10, projects: 100, issues: 100, notes: 1_000, labels: 5, others: 10_000 }

/** Ids that the measurements ask for. */
export interface Planned {
  project: number
  group: number
  board: number
  milestone: string
}

const firstProject = 1_000
/** A few of the other projects stand in the group too. */
const inGroup = 40

/** Fills the database at `location`, of a server that has started. */
export async function fillPlanning(forge: Forge, location: string, size: PlanningSize): Promise<Planned> {
  await fill(location, size)
  const group = (await forge.call('POST', '/groups', { name: 'Planning', path: 'planning', visibility: 'private' })) as { id: number }
  const project = (await forge.call('POST', '/projects', { name: 'planned', namespace_id: group.id })) as { id: number }
  await forge.call('POST', `/groups/${group.id}/members`, { user_id: member.id, access_level: 30 })
  const db = openDatabase(location)
  try {
    const statements = [...statementsFor(engineOf(location) === 'postgres', size, { project: project.id, group: group.id })]
    await db.transaction().execute(async (tx) => {
      for (const statement of statements) await statement.execute(tx)
    })
    const { id: board } = await db.selectFrom('boards').select('id').executeTakeFirstOrThrow()
    return { project: project.id, group: group.id, board, milestone: 'v1' }
  } finally {
    await db.destroy()
  }
}

const raw = sql.raw

function* statementsFor(
  isPostgres: boolean,
  size: PlanningSize,
  { project, group }: { project: number; group: number },
): Generator<RawBuilder<unknown>> {
  const { at, user, text, upTo } = sqlWords(isPostgres, size.users)
  const total = size.issues + size.others
  // One of every 101 consecutive issues belongs to the project, so that its rows lie far apart.
  const step = Math.round(total / size.issues)
  const isHere = `n % ${step} = 0`
  const other = `(n - n / ${step} - 1)`
  yield raw(`insert into labels (project_id, title, color, created_at, updated_at)
    select ${project}, 'label-' || n, '#428bca', ${at('n')}, ${at('n')} from ${upTo(size.labels)}`)
  yield raw(`insert into labels (project_id, title, color, created_at, updated_at)
    select id, 'bug', '#d9534f', created_at, created_at from projects where id >= ${firstProject} and id < ${firstProject + size.projects}`)
  yield raw(`insert into milestones (iid, project_id, title, state, due_date, created_at, updated_at)
    select n, ${project}, 'v' || n, 'active', '2030-01-01', ${at('n')}, ${at('n')} from ${upTo(10)}`)
  yield raw(
    `update projects set namespace_id = ${group} where id >= ${firstProject + 10} and id < ${firstProject + 10 + Math.min(inGroup, size.projects / 10)}`,
  )
  yield raw(`insert into issues (iid, project_id, author_id, title, description, state, confidential, relative_position, user_notes_count, created_at, updated_at)
    select case when ${isHere} then n / ${step} else ${other} / ${size.projects} + 1 end,
      case when ${isHere} then ${project} else ${firstProject} + ${other} % ${size.projects} end,
      ${user('n * 7')}, ${text('n', 'n / 3', 'n / 11')} || ' n' || n, ${text('n / 5', 'n / 7', 'n', 'n / 2', 'n / 13', 'n / 17')},
      case when n % 3 = 0 then 'closed' else 'opened' end, n % 50 = 0,
      case when ${isHere} then n * 500 end, case when ${isHere} then ${Math.round(size.notes / size.issues)} else 0 end,
      ${at('n')}, ${at(`n + (n * 7919) % ${total}`)}
    from ${upTo(total)}`)
  yield raw(`update issues set milestone_id = (select id from milestones where project_id = ${project} and title = 'v' || (issues.iid % 10 + 1)),
    due_date = case when iid % 4 = 0 then '2030-01-01' end where project_id = ${project} and iid % 2 = 0`)
  const here = `from issues where project_id = ${project}`
  const firstLabel = `(select min(id) from labels where project_id = ${project})`
  for (const [factor, offset] of [
    [1, 0],
    [3, 1],
    [7, 2],
  ] as const) {
    yield raw(
      `insert into issue_labels (issue_id, label_id) select id, ${firstLabel} + (iid * ${factor} + ${offset}) % ${size.labels} ${here} on conflict do nothing`,
    )
  }
  yield raw(`insert into issue_labels (issue_id, label_id)
    select issues.id, labels.id from issues join labels on labels.project_id = issues.project_id and labels.title = 'bug' where issues.iid % 2 = 0`)
  yield raw(`insert into issue_assignees (issue_id, user_id) select id, ${user('iid')} from issues where iid % 2 = 0`)
  yield raw(`insert into notes (project_id, author_id, issue_id, discussion_id, body, system, created_at, updated_at)
    select ${project}, ${user('counted.n')}, issues.id, 'd' || counted.n, ${text('counted.n', 'counted.n / 3', 'counted.n / 7')} || ' m' || counted.n, counted.n % 5 = 0,
      ${at('issues.id + counted.n')}, ${at('issues.id + counted.n')}
    from ${upTo(size.notes)} join issues on issues.project_id = ${project} and issues.iid = counted.n % ${size.issues} + 1`)
  // One issue that everybody talks about.
  yield raw(`insert into notes (project_id, author_id, issue_id, discussion_id, opens_discussion, body, system, created_at, updated_at)
    select ${project}, ${user('counted.n')}, issues.id, 'busy' || (counted.n / 2), counted.n % 2 = 0 or counted.n = 1, ${text('counted.n', 'counted.n / 3')}, false, ${at('counted.n')}, ${at('counted.n')}
    from ${upTo(Math.round(size.notes / 50))} join issues on issues.project_id = ${project} and issues.iid = 1`)
  yield raw(`insert into award_emoji (user_id, name, issue_id, created_at, updated_at)
    select ${user('iid')}, 'star', id, created_at, created_at ${here}`)
  yield raw(`insert into award_emoji (user_id, name, issue_id, created_at, updated_at)
    select ${member.id}, 'thumbsup', id, created_at, created_at ${here} and iid % ${Math.max(size.issues / 100, 1)} = 0`)
  yield raw(`update issues set upvotes = 1 where project_id = ${project} and iid % ${Math.max(size.issues / 100, 1)} = 0`)
  yield raw(`insert into label_events (issue_id, user_id, action, created_at, label_id)
    select issue_id, ${user('issue_id')}, 'add', ${at('issue_id')}, label_id from issue_labels where issue_id in (select id ${here})`)
  yield raw(`insert into label_events (issue_id, user_id, action, created_at, label_id)
    select issues.id, ${user('counted.n')}, 'add', ${at('counted.n')}, ${firstLabel} from ${upTo(Math.round(size.notes / 50))}
    join issues on issues.project_id = ${project} and issues.iid = 1`)
  yield raw(`insert into todos (user_id, project_id, author_id, issue_id, action, state, created_at, updated_at)
    select ${user('iid')}, project_id, author_id, id, 'mentioned', case when iid % 3 = 0 then 'done' else 'pending' end, created_at, created_at
    from issues where iid % 4 = 0 or project_id = ${project} on conflict do nothing`)
  yield raw(`insert into todos (user_id, project_id, author_id, issue_id, action, created_at, updated_at)
    select ${member.id}, project_id, author_id, id, 'assigned', created_at, created_at ${here} and iid % ${Math.max(size.issues / 1_000, 1)} = 0 on conflict do nothing`)
  yield raw(`insert into events (project_id, author_id, action, target_type, issue_id, created_at)
    select project_id, author_id, 'created', 'Issue', id, created_at from issues`)
  yield raw(`insert into events (project_id, author_id, action, target_type, issue_id, note_id, created_at)
    select project_id, author_id, 'commented', 'Note', issue_id, id, created_at from notes`)
  yield raw(`insert into boards (project_id, name, created_at, updated_at) values (${project}, 'Development', ${at('0')}, ${at('0')})`)
  yield raw(`insert into board_lists (board_id, label_id, position, created_at, updated_at)
    select boards.id, ${firstLabel} + counted.n - 1, counted.n - 1, ${at('0')}, ${at('0')} from boards, ${upTo(5)}`)
  yield raw(`insert into internal_ids (project_id, kind, last_value) select project_id, 'issue', max(iid) from issues group by project_id
    on conflict (project_id, kind) do update set last_value = excluded.last_value`)
  yield raw(`insert into internal_ids (project_id, kind, last_value) values (${project}, 'milestone', 10)
    on conflict (project_id, kind) do update set last_value = excluded.last_value`)
}
