/** Archives carry merge requests: with versions and their commits, notes on lines, reviews, and what is recorded of changes. */
import { beforeAll, expect, test } from 'vitest'
import { type ArchiveFile, archiveOf, exportOf, filesIn, importOf } from '../../../../test/support/fixtures/archives.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun, onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { inTransaction } from '../../../db/database.ts'
import { nextNumber } from '../../spaces/numbering/numbering.ts'

cpuBudget(11, 'Each test makes an archive and imports it.')

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

const day = (number: number) => `2026-01-${String(number).padStart(2, '0')}T10:00:00.000Z`
const when = (number: number) => ({ created_at: day(number), updated_at: day(number) })

async function insert(table: string, row: Record<string, unknown>): Promise<number> {
  const inserted = await forge.app.db
    .insertInto(table as 'labels')
    .values(row as never)
    .returningAll()
    .executeTakeFirstOrThrow()
  return inserted.id
}

interface Reviewed {
  project: TestProject
  owner: TestUser
  reviewer: TestUser
  /** The tips of two versions of its first merge request: only they have the first one. */
  heads: [string, string]
}

/** A merge request with two versions, the first of which no branch has, and something in every table; one that is merged; one of a fork. */
async function reviewed(): Promise<Reviewed> {
  const [owner, reviewer] = [await forge.user(), await forge.user()]
  const project = await forge.project({
    owner,
    developer: reviewer,
    commits: [
      { message: 'First', files: { 'a.txt': 'one\ntwo\n' } },
      { message: 'Topic', files: { 'a.txt': 'one\nthree\n' }, branch: 'topic' },
    ],
  })
  const { id: project_id, dir } = project
  const { db } = forge.app
  const issue = await forge.issue(project, owner, { title: 'Closed by it' })
  const label = await insert('labels', { project_id, title: 'bug', color: '#ff0000', ...when(1) })
  const iid = await inTransaction(db, (tx) => nextNumber(tx, { project_id }, 'milestone'))
  const milestone = await insert('milestones', { project_id, iid, title: 'v1', ...when(1) })
  const target = await git(dir, 'rev-parse', 'main')
  const first = await git(dir, 'rev-parse', 'topic')
  const tree = await git(dir, 'rev-parse', 'topic^{tree}')
  const second = await git(dir, 'commit-tree', '-p', target, '-m', 'Rewritten', tree)
  await git(dir, 'update-ref', 'refs/heads/topic', second)
  await git(dir, 'update-ref', `refs/keep-around/${first}`, first)
  const request = await forge.mergeRequest(project, owner, {
    source_branch: 'topic',
    title: 'Draft: Change it',
    description: 'Closes #1',
    label_ids: [label],
    milestone_id: milestone,
    assignee_ids: [reviewer.id],
    reviewer_ids: [reviewer.id],
    squash: true,
  })
  await db
    .updateTable('merge_requests')
    .set({ merge_when_pipeline_succeeds: true, merge_user_id: owner.id, merge_params: '{}', user_notes_count: 2, upvotes: 1 })
    .where('id', '=', request.id)
    .execute()
  const merge_request_id = request.id
  await db.deleteFrom('merge_request_versions').where('merge_request_id', '=', merge_request_id).execute()
  for (const head_oid of [first, second]) {
    const counts = { state: 'collected', real_size: '1', files: 1, additions: 1, deletions: 1, commits: 1 } as const
    const oids = { base_oid: target, start_oid: target, head_oid }
    const version_id = await insert('merge_request_versions', { merge_request_id, ...oids, ...counts, created_at: day(2) })
    const modes = { old_mode: '100644', new_mode: '100644', old_oid: '1'.repeat(40), new_oid: '2'.repeat(40) }
    const file = { old_path: 'a.txt', new_path: 'a.txt', status: 'modified', additions: 1, deletions: 1 } as const
    await db
      .insertInto('merge_request_version_files')
      .values({ version_id, position: 0, ...modes, ...file })
      .execute()
    await db.insertInto('merge_request_version_commits').values({ version_id, position: 0, oid: head_oid }).execute()
  }
  await db
    .insertInto('merge_request_closes')
    .values({ merge_request_id, issue_id: issue.id })
    .onConflict((on) => on.doNothing())
    .execute()
  await db
    .insertInto('merge_request_mentions')
    .values({ merge_request_id, user_id: reviewer.id })
    .onConflict((on) => on.doNothing())
    .execute()
  await db
    .insertInto('approvals')
    .values({ merge_request_id, user_id: reviewer.id, created_at: day(3) })
    .execute()
  await discuss(project, merge_request_id, {
    owner,
    reviewer,
    issue_id: issue.id,
    refs: { base_sha: target, start_sha: target, head_sha: first },
  })
  for (const [table, more] of [
    ['label_events', { label_id: label, action: 'add' }],
    ['milestone_events', { milestone_id: milestone, action: 'add' }],
    ['state_events', { action: 'closed' }],
    ['time_logs', { time_spent: 60, spent_at: '2026-01-02' }],
  ] as const)
    await insert(table, { merge_request_id, user_id: reviewer.id, created_at: day(6), ...more })
  await insert('subscriptions', { merge_request_id, user_id: reviewer.id, subscribed: true, created_at: day(6) })
  await insert('award_emoji', { merge_request_id, user_id: reviewer.id, name: 'thumbsup', ...when(6) })
  const event = { project_id, author_id: reviewer.id, created_at: day(7), merge_request_id }
  await insert('events', { ...event, action: 'approved', target_type: 'MergeRequest' })
  await others(project, owner, target)
  return { project, owner, reviewer, heads: [first, second] }
}

type Discussion = { owner: TestUser; reviewer: TestUser; issue_id: number; refs: object }

/** A note on a line with a suggestion, its resolved answer, and one of the system that tells of an issue. */
async function discuss({ id: project_id }: TestProject, merge_request_id: number, { owner, reviewer, issue_id, refs }: Discussion) {
  const on = { project_id, merge_request_id, author_id: reviewer.id, discussion_id: 'ab'.repeat(20) }
  const place = { ...refs, old_path: 'a.txt', new_path: 'a.txt', position_type: 'text', old_line: null, new_line: 2, line_range: null }
  const position = JSON.stringify(place)
  const line = { type: 'DiffNote', line_code: `${'ab'.repeat(20)}_2_2`, original_position: position, position }
  const outdated = { outdated_by: JSON.stringify({ ...place, old_line: 2, new_line: null }) }
  const note_id = await insert('notes', { ...on, ...line, ...outdated, opens_discussion: true, body: 'Why?', ...when(4) })
  const solved = { resolved_at: day(5), resolved_by_id: owner.id, resolved_by_push: true }
  await insert('notes', { ...on, ...line, ...solved, outdated_by: 'null', opens_discussion: false, body: 'So', ...when(5) })
  const system = { project_id, issue_id, author_id: owner.id, system: true, system_action: 'cross_reference' }
  const about = { about_merge_request_id: merge_request_id, body: 'mentioned in merge request !1' }
  await insert('notes', { ...system, ...about, opens_discussion: true, discussion_id: 'cd'.repeat(20), ...when(5) })
  const change = { from_content: 'three\n', to_content: 'four\n', applied: true, commit_oid: '3'.repeat(40) }
  await insert('suggestions', { note_id, position: 0, lines_above: 0, lines_below: 1, ...change })
}

async function others(project: TestProject, owner: TestUser, target: string) {
  const merged = await forge.mergeRequest(project, owner, { source_branch: 'topic', target_branch: 'old', title: 'Merged' })
  const how = { state: 'merged', merged_at: day(8), merged_by_id: owner.id, merge_commit_oid: target } as const
  await forge.app.db.updateTable('merge_requests').set(how).where('id', '=', merged.id).execute()
  const fork = await forge.project({ owner: await forge.user() })
  await forge.mergeRequest(project, owner, { source_branch: 'topic', source_project_id: fork.id, head_oid: target, title: 'Of a fork' })
}

const requestTables = `merge_request_assignees merge_request_reviewers merge_request_labels merge_request_closes merge_request_mentions
  merge_request_versions approvals time_logs subscriptions award_emoji label_events milestone_events state_events`.split(/\s+/)

/** Everything of a project, with names in place of the ids of an instance. */
async function reviewOf(project_id: number) {
  const { db } = forge.app
  type Row = Record<string, unknown>
  const all = async (table: string) =>
    (await db
      .selectFrom(table as 'labels')
      .selectAll()
      .execute()) as unknown as Row[]
  const of = async (table: string) => (await all(table)).filter((row) => row.project_id === project_id)
  const [requests, issues, notes, labels, milestones] = await Promise.all(
    ['merge_requests', 'issues', 'notes', 'labels', 'milestones'].map(of),
  )
  const named = (rows: Row[] | undefined, name: string) => (id: unknown) => rows?.find((row) => row.id === id)?.[name] ?? null
  const versions = (await all('merge_request_versions')).filter((row) => named(requests, 'iid')(row.merge_request_id))
  const names: Record<string, (id: unknown) => unknown> = {
    merge_request_id: named(requests, 'iid'),
    about_merge_request_id: named(requests, 'iid'),
    issue_id: named(issues, 'iid'),
    note_id: named(notes, 'body'),
    label_id: named(labels, 'title'),
    milestone_id: named(milestones, 'title'),
    version_id: named(versions, 'head_oid'),
    source_project_id: (id) => (id === project_id ? 'own' : 'another'),
  }
  const told = (rows: Row[] = []) =>
    rows
      .map(({ id: _, project_id: __, discussion_id: ___, ...row }) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? null : (names[name]?.(value) ?? value)])),
      )
      .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
  const ids = new Set(requests?.map(({ id }) => id))
  const on = async (table: string) => told((await all(table)).filter((row) => ids.has(row.merge_request_id)))
  const versionIds = new Set(versions.map(({ id }) => id))
  const ofVersions = async (table: string) => told((await all(table)).filter((row) => versionIds.has(row.version_id)))
  const noteIds = new Set(notes?.map(({ id }) => id))
  return {
    merge_requests: told(requests),
    notes: told(notes),
    events: told((await of('events')).filter(({ merge_request_id }) => merge_request_id !== null)),
    numbers: told(await of('internal_ids')),
    files: await ofVersions('merge_request_version_files'),
    commits: await ofVersions('merge_request_version_commits'),
    suggestions: told((await all('suggestions')).filter((row) => noteIds.has(row.note_id))),
    ...Object.fromEntries(await Promise.all(requestTables.map(async (table) => [table, await on(table)]))),
  }
}

type Rows = Array<Record<string, unknown>>

function sorted(rows: Rows): Rows {
  return rows.toSorted((one, other) => Number(one.iid) - Number(other.iid))
}

/** As an import changes them: nobody waits for a pipeline, and what is open from a fork is closed. */
function imported(rows: Rows): Rows {
  return rows.map((row) => ({
    ...row,
    ...{ merge_when_pipeline_succeeds: false, merge_user_id: null, merge_params: null },
    ...(row.source_project_id === 'another' && { source_project_id: null, state: 'closed', closed_at: row.updated_at }),
  }))
}

test('an administrator brings back merge requests with their versions, notes on lines, reviews and commits', async () => {
  const { project, owner, heads } = await reviewed()
  const before = await reviewOf(project.id)
  for (const [name, rows] of Object.entries<unknown[]>(before)) expect([name, rows.length > 0]).toEqual([name, true])
  const archive = await exportOf(forge, owner, project)
  // Gone with its repository.
  await forge.as(owner).delete(`/projects/${project.id}`)
  await forge.drain()

  const made = await importOf(forge, forge.root, archive)

  expect([made.import_status, made.import_error]).toEqual(['finished', undefined])
  const after = await reviewOf(made.id)
  expect(sorted(after.merge_requests)).toEqual(sorted(imported(before.merge_requests)))
  expect({ ...after, merge_requests: [] }).toEqual({ ...before, merge_requests: [] })
  const { dir } = forge.app.git.open(made.id)
  expect(await git(dir, 'rev-parse', 'refs/merge-requests/1/head')).toBe(heads[1])
  for (const head of heads) expect(await git(dir, 'rev-parse', `refs/keep-around/${head}`)).toBe(head)
  await git(dir, 'fsck', '--strict')
  const next = await forge.mergeRequest({ ...project, id: made.id }, owner, { source_branch: 'topic', target_branch: 'next' })
  expect(next.iid).toBe(4)
})

test(
  "for anybody else what others wrote is the importer's, and nobody approves, reviews or merges in the name of others",
  onPostgresAlone('1 s of processor.'),
  async () => {
    const { project, owner, reviewer } = await reviewed()
    const archive = await exportOf(forge, owner, project)
    const importer = await forge.user()

    const made = await importOf(forge, importer, archive)

    expect([made.import_status, made.import_error]).toEqual(['finished', undefined])
    const { db } = forge.app
    const requests = await db.selectFrom('merge_requests').selectAll().where('project_id', '=', made.id).orderBy('iid').execute()
    expect(requests.map(({ author_id, merged_by_id, merge_user_id }) => [author_id, merged_by_id, merge_user_id])).toEqual(
      [1, 2, 3].map(() => [importer.id, null, null]),
    )
    const ids = requests.map(({ id }) => id)
    for (const table of ['approvals', 'merge_request_reviewers', 'merge_request_assignees', 'subscriptions'] as const) {
      const rows = await db
        .selectFrom(table as 'approvals')
        .selectAll()
        .where('merge_request_id', 'in', ids)
        .execute()
      expect([table, rows]).toEqual([table, []])
    }
    const notes = await db
      .selectFrom('notes')
      .selectAll()
      .where('merge_request_id', 'in', ids)
      .where('type', '=', 'DiffNote')
      .orderBy('id')
      .execute()
    expect(notes.map(({ author_id, resolved_by_id }) => [author_id, resolved_by_id])).toEqual([1, 2].map(() => [importer.id, null]))
    expect(notes[0]?.body).toContain(`*By ${reviewer.name} on 2026-01-04T10:00:00`)
  },
)

test('an archive tells nothing of a fork but the commits that were proposed', async () => {
  const { project, owner } = await reviewed()
  const fork = await forge.app.db
    .selectFrom('merge_requests')
    .innerJoin('projects', 'projects.id', 'merge_requests.source_project_id')
    .select(['projects.id', 'projects.path', 'projects.name'])
    .where('merge_requests.project_id', '=', project.id)
    .where('projects.id', '!=', project.id)
    .executeTakeFirstOrThrow()

  const files = await filesIn(await exportOf(forge, owner, project))

  const lines = String(files.find(({ name }) => name === 'tables/merge_requests.jsonl')?.content)
  expect(lines).toContain('"own_source":false')
  for (const { content } of files) expect(String(content).includes(fork.path)).toBe(false)
  expect(lines).not.toMatch(/source_project/)
})

test(
  'a version whose commits the repository has lost stays out, and the rest is imported',
  inFullRun('Half a second of processor. An administrator brings back versions and commits above.'),
  async () => {
    const { project, owner } = await reviewed()
    await forge.app.db
      .updateTable('merge_request_versions')
      .set({ head_oid: 'e'.repeat(40) })
      .where('merge_request_id', 'in', (eb) => eb.selectFrom('merge_requests').select('id').where('project_id', '=', project.id))
      .execute()

    const made = await importOf(forge, forge.root, await exportOf(forge, owner, project))

    const after = await reviewOf(made.id)
    expect([made.import_status, after.merge_request_versions, after.files, after.merge_requests.length]).toEqual(['finished', [], [], 3])
  },
)

type Change = (line: Record<string, unknown>) => Record<string, unknown>

function withLines(files: ArchiveFile[], table: string, change: Change): Promise<Buffer> {
  return archiveOf(
    files.map(({ name, content }) => {
      if (name !== `tables/${table}.jsonl`) return { name, content: content ?? '' }
      const lines = String(content).split('\n').filter(Boolean)
      return { name, content: lines.map((line) => `${JSON.stringify(change(JSON.parse(line)))}\n`).join('') }
    }),
  )
}

const position =
  (change: object): Change =>
  (line) =>
    line.position ? { ...line, position: { ...(line.position as object), ...change } } : line
const bad: Array<[string, Change, string]> = [
  ['merge_requests', (line) => ({ ...line, project_id: 1 }), 'is none of that table'],
  ['merge_requests', (line) => ({ ...line, source_project_id: 1 }), 'is none of that table'],
  ['merge_requests', (line) => ({ ...line, merge_when_pipeline_succeeds: true }), 'is none of that table'],
  ['merge_requests', (line) => ({ ...line, state: 'locked' }), 'is none of that table'],
  ['merge_requests', (line) => ({ ...line, head_oid: '--all' }), 'is none of that table'],
  ['merge_requests', (line) => ({ ...line, source_branch: '--upload-pack=x' }), 'branches whose names are invalid'],
  ['merge_requests', (line) => ({ ...line, target_branch: '../../etc/passwd' }), 'branches whose names are invalid'],
  ['merge_requests', (line) => ({ ...line, closes: [999_999] }), 'that it lacks'],
  ['merge_request_versions', (line) => ({ ...line, head_oid: 'f'.repeat(40) }), 'lacks commits of a merge request'],
  ['merge_request_versions', (line) => ({ ...line, base_oid: 'f'.repeat(40) }), 'lacks commits of a merge request'],
  ['merge_request_versions', (line) => ({ ...line, start_oid: 'HEAD' }), 'is none of that table'],
  ['merge_request_versions', (line) => ({ ...line, merge_request: 999_999 }), 'that it lacks'],
  ['merge_request_versions', (line) => ({ ...line, files: 2 ** 40 }), 'is none of that table'],
  ['merge_request_version_files', (line) => ({ ...line, version: 999_999 }), 'that it lacks'],
  ['merge_request_version_files', (line) => ({ ...line, new_path: 'a\0b' }), 'is none of that table'],
  ['merge_request_version_files', (line) => ({ ...line, new_mode: '120000; rm' }), 'is none of that table'],
  ['notes', (line) => ({ ...line, merge_request: null, issue: null }), 'not on one thing'],
  ['notes', (line) => ({ ...line, issue: 1, merge_request: 1 }), 'not on one thing'],
  ['notes', (line) => ({ ...line, line_code: '<script>' }), 'is none of that table'],
  ['notes', position({ head_sha: 'HEAD' }), 'is none of that table'],
  ['notes', position({ new_path: 'a\0' }), 'is none of that table'],
  ['notes', position({ new_line: -1 }), 'is none of that table'],
  ['notes', position({ more: 1 }), 'is none of that table'],
  ['approvals', (line) => ({ ...line, merge_request: 999_999 }), 'that it lacks'],
  ['suggestions', (line) => ({ ...line, note: 999_999 }), 'that it lacks'],
]

test(
  'an archive whose merge requests name what isn’t there, or what no request has, is refused',
  inFullRun('4 s of processor. planning.test.ts refuses lines that name what the archive lacks.'),
  async () => {
    const { project, owner } = await reviewed()
    const files = await filesIn(await exportOf(forge, owner, project))
    for (const [table, change, reason] of bad) {
      const made = await importOf(forge, forge.root, await withLines(files, table, change))
      expect([table, made.import_status, made.import_error]).toEqual([table, 'failed', expect.stringContaining(reason)])
    }
  },
)

test(
  'merge requests without the repository they are of are refused',
  inFullRun('Half a second of processor. Hostile lines are refused by `hostile.test.ts`.'),
  async () => {
    const { project, owner } = await reviewed()
    const files = await filesIn(await exportOf(forge, owner, project))

    const made = await importOf(forge, owner, await archiveOf(files.filter(({ name }) => name !== 'repository.bundle')))

    expect([made.import_status, made.import_error]).toEqual(['failed', 'The archive lacks commits of a merge request.'])
  },
)

test('refs of a bundle other than branches and tags are not made, whatever they are called', async () => {
  const { project, owner } = await reviewed()
  const files = await filesIn(await exportOf(forge, owner, project))
  const bundle = files.find(({ name }) => name === 'repository.bundle')?.content ?? Buffer.alloc(0)
  expect(bundle.toString('latin1').slice(0, 2_000)).not.toContain('refs/keep-around')
  const without = files.filter(
    ({ name }) => !/merge_request|approvals|tables.(notes|suggestions|award|subs|time|events|\w+_events)/.test(name),
  )

  const made = await importOf(forge, owner, await archiveOf(without))

  expect([made.import_status, made.import_error]).toEqual(['finished', undefined])
  const refs = await git(forge.app.git.open(made.id).dir, 'for-each-ref', '--format=%(refname)')
  expect(refs.split('\n')).toEqual(['refs/heads/main', 'refs/heads/topic'])
})

test(
  'an archive of version 3, which has no merge requests, is read',
  inFullRun('Half a second of processor. `round-trip.test.ts` reads archives of version 1.'),
  async () => {
    const { project, owner } = await reviewed()
    const files = await filesIn(await exportOf(forge, owner, project))
    const older = files
      .filter(({ name }) => !/merge_request|approvals|suggestions/.test(name))
      .map(({ name, content }) => {
        if (name === 'VERSION') return { name, content: '3\n' }
        if (name === 'project.json') {
          const {
            merge_commit_template: _,
            squash_option: __,
            remove_source_branch_after_merge: ___,
            ...settings
          } = JSON.parse(String(content))
          return { name, content: JSON.stringify(settings) }
        }
        if (!name.endsWith('.jsonl')) return { name, content }
        const lines = String(content)
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Record<string, unknown>)
        const ofIssues = lines.filter((line) => (line.merge_request ?? line.about_merge_request ?? null) === null)
        const names = [
          'merge_request',
          'about_merge_request',
          'line_code',
          'original_position',
          'position',
          'outdated_by',
          'resolved_by_push',
        ]
        const old = ofIssues.map((line) =>
          Object.fromEntries(Object.entries(line).filter(([key]) => name.includes('board') || !names.includes(key))),
        )
        return { name, content: old.map((line) => `${JSON.stringify(line)}\n`).join('') }
      })

    const made = await importOf(forge, forge.root, await archiveOf(older))

    expect([made.import_status, made.import_error]).toEqual(['finished', undefined])
    const project_ = await forge.app.db.selectFrom('projects').select('squash_option').where('id', '=', made.id).executeTakeFirstOrThrow()
    expect(project_.squash_option).toBe('default_off')
  },
)
