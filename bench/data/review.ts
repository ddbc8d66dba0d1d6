/** A project full of merge requests beside those of all others, written straight into the database. */
import { type RawBuilder, sql } from 'kysely'
import { engineOf, openDatabase } from '../../src/db/database.ts'
import type { Forge } from '../forge.ts'
import { fill, member, type Size } from './people.ts'
import { sqlWords } from './sql-words.ts'

export interface ReviewSize extends Size {
  /** Rows of the measured project. */
  requests: number
  notes: number
  labels: number
  /** Merge requests of all other projects. */
  others: number
}

export const largeReview: ReviewSize = {
  users: 5_000,
  groups: 1_000,
  projects: 10_000,
  requests: 5_000,
  notes: 50_000,
  labels: 200,
  others: 500_000,
}
export const smallReview: ReviewSize = { users: 50, groups: 10, projects: 100, requests: 50, notes: 500, labels: 5, others: 5_000 }

/** Ids that the measurements ask for. */
export interface Reviewed {
  project: number
  group: number
}

const firstProject = 1_000
const inGroup = 40
/** Changed files of a usual version. */
const files = 20
const versionsOfEach = 2

/** Fills the database at `location`, of a server that has started. */
export async function fillReview(forge: Forge, location: string, size: ReviewSize): Promise<Reviewed> {
  await fill(location, size)
  const group = (await forge.call('POST', '/groups', { name: 'Review', path: 'review', visibility: 'private' })) as { id: number }
  const project = (await forge.call('POST', '/projects', { name: 'reviewed', namespace_id: group.id })) as { id: number }
  // Merge requests need branches that are there.
  for (const [branch, from] of [
    ['main', 'main'],
    ['topic', 'main'],
  ] as const) {
    const content = { content: branch, commit_message: `Add ${branch}`, branch, ...(branch !== from && { start_branch: from }) }
    await forge.call('POST', `/projects/${project.id}/repository/files/${branch}`, content)
  }
  const { id: oid } = (await forge.call('GET', `/projects/${project.id}/repository/commits/topic`)) as { id: string }
  const { id: target } = (await forge.call('GET', `/projects/${project.id}/repository/commits/main`)) as { id: string }
  await forge.call('POST', `/groups/${group.id}/members`, { user_id: member.id, access_level: 30 })
  const db = openDatabase(location)
  try {
    const statements = [...statementsFor(engineOf(location) === 'postgres', size, { project: project.id, group: group.id, oid, target })]
    await db.transaction().execute(async (tx) => {
      for (const statement of statements) await statement.execute(tx)
    })
    return { project: project.id, group: group.id }
  } finally {
    await db.destroy()
  }
}

const raw = sql.raw

interface Place extends Reviewed {
  /** Tips of the source branch and of the target branch. */
  oid: string
  target: string
}

function* statementsFor(isPostgres: boolean, size: ReviewSize, place: Place): Generator<RawBuilder<unknown>> {
  const { project, group } = place
  const { at, user, text, upTo } = sqlWords(isPostgres, size.users)
  const total = size.requests + size.others
  // Rows of the project lie far apart.
  const step = Math.round(total / size.requests)
  const isHere = `n % ${step} = 0`
  const other = `(n - n / ${step} - 1)`
  yield raw(`insert into labels (project_id, title, color, created_at, updated_at)
    select ${project}, 'label-' || n, '#428bca', ${at('n')}, ${at('n')} from ${upTo(size.labels)}`)
  yield raw(`insert into milestones (iid, project_id, title, state, created_at, updated_at)
    select n, ${project}, 'v' || n, 'active', ${at('n')}, ${at('n')} from ${upTo(10)}`)
  yield raw(
    `update projects set namespace_id = ${group} where id >= ${firstProject + 10} and id < ${firstProject + 10 + Math.min(inGroup, size.projects / 10)}`,
  )
  const projectOf = `case when ${isHere} then ${project} else ${firstProject} + ${other} % ${size.projects} end`
  const state = `case when n % 5 = 0 then 'opened' when n % 7 = 0 then 'closed' else 'merged' end`
  yield raw(`insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, description, state, draft,
      head_oid, merge_status, checked_source_oid, checked_target_oid, merged_at, merged_by_id, merge_commit_oid, closed_at, user_notes_count, created_at, updated_at)
    select case when ${isHere} then n / ${step} else ${other} / ${size.projects} + 1 end, ${projectOf}, ${projectOf},
      case when ${isHere} and n / ${step} <= 3 then 'topic' else 'topic-' || n end, case when ${isHere} and n / ${step} <= 3 then 'target-' || n else 'main' end,
      ${user('n * 7')}, case when n % 20 = 0 then 'Draft: ' else '' end || ${text('n', 'n / 3', 'n / 11')} || ' n' || n,
      ${text('n / 5', 'n / 7', 'n', 'n / 2', 'n / 13', 'n / 17')}, ${state}, n % 20 = 0, '${place.oid}', 'can_be_merged', '${place.oid}', '${place.target}',
      case when ${state} = 'merged' then ${at('n')} end, case when ${state} = 'merged' then ${user('n * 3')} end, case when ${state} = 'merged' then '${place.oid}' end,
      case when ${state} = 'closed' then ${at('n')} end, case when ${isHere} then ${Math.round(size.notes / size.requests)} else 0 end,
      ${at('n')}, ${at(`n + (n * 7919) % ${total}`)}
    from ${upTo(total)}`)
  yield raw(`update merge_requests set milestone_id = (select id from milestones where project_id = ${project} and title = 'v' || (merge_requests.iid % 10 + 1))
    where project_id = ${project} and iid % 2 = 0`)
  yield* onRequests(isPostgres, size, place)
}

function* onRequests(isPostgres: boolean, size: ReviewSize, { project, oid, target }: Place): Generator<RawBuilder<unknown>> {
  const { at, user, text, upTo } = sqlWords(isPostgres, size.users)
  const here = `from merge_requests where project_id = ${project}`
  const firstLabel = `(select min(id) from labels where project_id = ${project})`
  for (const [factor, offset] of [
    [1, 0],
    [3, 1],
  ] as const)
    yield raw(
      `insert into merge_request_labels (merge_request_id, label_id) select id, ${firstLabel} + (iid * ${factor} + ${offset}) % ${size.labels} ${here} on conflict do nothing`,
    )
  yield raw(
    `insert into merge_request_assignees (merge_request_id, user_id) select id, ${user('iid')} from merge_requests where iid % 2 = 0`,
  )
  for (const table of ['merge_request_reviewers', 'approvals'])
    yield raw(
      `insert into ${table} (merge_request_id, user_id, created_at) select id, ${user('iid * 3 + 1')}, created_at from merge_requests where iid % 3 = 0`,
    )
  yield raw(`insert into merge_request_versions (merge_request_id, base_oid, start_oid, head_oid, state, real_size, files, additions, deletions, commits, created_at)
    select merge_requests.id, '${target}', '${target}', '${oid}', 'collected', '${files}', ${files}, 40, 20, 3, ${at('merge_requests.id')}
    from merge_requests, ${upTo(versionsOfEach)} where project_id = ${project}`)
  yield raw(`insert into merge_request_versions (merge_request_id, base_oid, start_oid, head_oid, state, real_size, files, additions, deletions, commits, created_at)
    select id, '${target}', '${target}', '${oid}', 'collected', '${files}', ${files}, 40, 20, 3, created_at from merge_requests where project_id <> ${project}`)
  const ofProject = `merge_request_id in (select id ${here})`
  yield raw(`insert into merge_request_version_files (version_id, position, old_path, new_path, old_mode, new_mode, old_oid, new_oid, status, additions, deletions)
    select merge_request_versions.id, counted.n - 1, 'src/file-' || counted.n || '.ts', 'src/file-' || counted.n || '.ts', '100644', '100644', '${oid}', '${target}', 'modified', 2, 1
    from merge_request_versions, ${upTo(files)} where ${ofProject}`)
  yield raw(`insert into merge_request_version_commits (version_id, position, oid)
    select merge_request_versions.id, counted.n - 1, '${oid}' from merge_request_versions, ${upTo(3)} where ${ofProject}`)
  const noteColumns =
    'project_id, author_id, merge_request_id, discussion_id, type, body, system, line_code, original_position, position, created_at, updated_at'
  const position = `'{"base_sha":"${target}","start_sha":"${target}","head_sha":"${oid}","old_path":"src/file-1.ts","new_path":"src/file-1.ts","position_type":"text","old_line":null,"new_line":7,"line_range":null}'`
  const isDiffNote = 'counted.n % 3 = 0'
  const onLine = (value: string) => `case when ${isDiffNote} then ${value} end`
  yield raw(`insert into notes (${noteColumns})
    select ${project}, ${user('counted.n')}, merge_requests.id, 'd' || (counted.n / 2), ${onLine("'DiffNote'")}, ${text('counted.n', 'counted.n / 3', 'counted.n / 7')},
      counted.n % 5 = 0 and counted.n % 3 <> 0, ${onLine(`'${'ab'.repeat(20)}_7_7'`)}, ${onLine(position)}, ${onLine(position)}, ${at('merge_requests.id + counted.n')}, ${at('merge_requests.id + counted.n')}
    from ${upTo(size.notes)} join merge_requests on merge_requests.project_id = ${project} and merge_requests.iid = (counted.n / 2) % ${size.requests} + 1`)
  // One that everybody talks about.
  yield raw(`insert into notes (project_id, author_id, merge_request_id, discussion_id, opens_discussion, body, system, created_at, updated_at)
    select ${project}, ${user('counted.n')}, merge_requests.id, 'busy' || (counted.n / 2), counted.n % 2 = 0 or counted.n = 1, ${text('counted.n', 'counted.n / 3')}, false, ${at('counted.n')}, ${at('counted.n')}
    from ${upTo(Math.round(size.notes / 50))} join merge_requests on merge_requests.project_id = ${project} and merge_requests.iid = 1`)
  yield raw(`insert into notes (project_id, author_id, merge_request_id, discussion_id, opens_discussion, body, system, created_at, updated_at)
    select project_id, author_id, id, 'o' || id, true, ${text('id', 'id / 3')}, false, created_at, created_at from merge_requests where project_id <> ${project}`)
  yield raw(`insert into award_emoji (user_id, name, merge_request_id, created_at, updated_at)
    select ${member.id}, 'thumbsup', id, created_at, created_at ${here} and iid % ${Math.max(size.requests / 100, 1)} = 0`)
  yield raw(`insert into label_events (merge_request_id, user_id, action, created_at, label_id)
    select merge_request_id, ${user('merge_request_id')}, 'add', ${at('merge_request_id')}, label_id from merge_request_labels where ${ofProject}`)
  yield raw(`insert into todos (user_id, project_id, author_id, merge_request_id, action, state, created_at, updated_at)
    select ${user('iid')}, project_id, author_id, id, 'assigned', case when iid % 3 = 0 then 'done' else 'pending' end, created_at, created_at
    from merge_requests where iid % 4 = 0 or project_id = ${project} on conflict do nothing`)
  yield raw(`insert into events (project_id, author_id, action, target_type, merge_request_id, created_at)
    select project_id, author_id, case when state = 'merged' then 'merged' else 'created' end, 'MergeRequest', id, created_at from merge_requests`)
  yield raw(`insert into internal_ids (project_id, kind, last_value) select project_id, 'merge_request', max(iid) from merge_requests group by project_id
    on conflict (project_id, kind) do update set last_value = excluded.last_value`)
}
