/** Archives carry planning: labels, milestones, issues with everything on them, boards, and what is recorded of their changes. */
import { beforeAll, expect, test } from 'vitest'
import { archiveOf, exportOf, filesIn, importOf } from '../../../../test/support/fixtures/archives.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inFullRun, onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { inTransaction } from '../../../db/database.ts'
import { nextNumber } from '../../spaces/numbering/numbering.ts'

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
    .returning('id')
    .executeTakeFirstOrThrow()
  return inserted.id
}

/** Something in every table of planning, with a label and a milestone of the group above. */
async function plan(project: TestProject, owner: TestUser, reporter: TestUser) {
  const { id: project_id, namespace_id } = project
  const { db } = forge.app
  const label = await insert('labels', { project_id, title: 'bug', color: '#ff0000', description: 'Broken', ...when(1) })
  const above = await insert('labels', { namespace_id, title: 'group label', color: '#00ff00', ...when(1) })
  await db.insertInto('label_priorities').values({ project_id, label_id: label, priority: 3 }).execute()
  const iid = await inTransaction(db, (tx) => nextNumber(tx, { project_id }, 'milestone'))
  const milestone = await insert('milestones', { project_id, iid, title: 'v1', state: 'closed', due_date: '2026-02-03', ...when(1) })
  const far = await insert('milestones', { namespace_id, iid: 1, title: 'Far', ...when(1) })
  const first = await forge.issue(project, owner, { title: 'First', label_ids: [label, above], milestone_id: milestone })
  const second = await forge.issue(project, reporter, {
    title: 'Second',
    description: 'Like the first',
    confidential: true,
    milestone_id: far,
    assignee_ids: [owner.id],
    due_date: '2026-03-04',
    time_estimate: 3600,
  })
  // Deleted: its number is given to nobody else.
  const third = await forge.issue(project, owner)
  await db.deleteFrom('issues').where('id', '=', third.id).execute()
  await db
    .updateTable('issues')
    .set({ duplicated_to_id: first.id, state: 'closed', closed_at: day(3), closed_by_id: owner.id, user_notes_count: 1, upvotes: 1 })
    .where('id', '=', second.id)
    .execute()
  const noteOn = { project_id, issue_id: second.id, author_id: reporter.id, discussion_id: 'ab'.repeat(20), type: 'DiscussionNote' }
  const note = await insert('notes', { ...noteOn, opens_discussion: true, body: 'Why?', internal: true, ...when(4) })
  await insert('notes', { ...noteOn, opens_discussion: false, body: 'Because', resolved_at: day(5), resolved_by_id: owner.id, ...when(5) })
  const system = { ...noteOn, type: null, system: true, system_action: 'cross_reference', opens_discussion: true }
  await insert('notes', { ...system, discussion_id: 'cd'.repeat(20), body: 'mentioned in issue #1', about_issue_id: first.id, ...when(6) })
  await insert('award_emoji', { user_id: owner.id, name: 'thumbsup', issue_id: second.id, ...when(6) })
  await insert('award_emoji', { user_id: reporter.id, name: 'tada', note_id: note, ...when(6) })
  await insert('issue_links', { source_id: first.id, target_id: second.id, link_type: 'blocks', ...when(6) })
  await insert('subscriptions', { user_id: reporter.id, issue_id: first.id, subscribed: false, created_at: day(6) })
  await insert('subscriptions', { user_id: reporter.id, label_id: above, project_id, subscribed: true, created_at: day(6) })
  await insert('time_logs', { issue_id: second.id, user_id: reporter.id, time_spent: -60, spent_at: '2026-01-02', created_at: day(6) })
  await db.insertInto('issue_mentions').values({ issue_id: first.id, user_id: reporter.id }).execute()
  await insert('milestone_events', { issue_id: second.id, user_id: owner.id, milestone_id: far, action: 'add', created_at: day(7) })
  await insert('state_events', { issue_id: second.id, user_id: owner.id, action: 'closed', created_at: day(7) })
  const board = await insert('boards', { project_id, name: 'Plan', hide_closed_list: true, ...when(8) })
  await insert('board_lists', { board_id: board, label_id: above, position: 0, ...when(8) })
  await insert('events', {
    project_id,
    author_id: reporter.id,
    action: 'commented',
    target_type: 'Note',
    issue_id: second.id,
    note_id: note,
    created_at: day(8),
  })
  return { first, second }
}

/** Everything of a project, with names in place of the ids of an instance. */
async function planOf(project_id: number) {
  const { db } = forge.app
  const all = async (table: string) =>
    (await db
      .selectFrom(table as 'labels')
      .selectAll()
      .execute()) as unknown as Array<Record<string, unknown>>
  const issues = (await all('issues')).filter((row) => row.project_id === project_id)
  const notes = (await all('notes')).filter((row) => row.project_id === project_id)
  const boards = (await all('boards')).filter((row) => row.project_id === project_id)
  const [labels, milestones] = [await all('labels'), await all('milestones')]
  const nameOf = (rows: Array<Record<string, unknown>>, name: string) => (id: unknown) => rows.find((row) => row.id === id)?.[name] ?? null
  const names: Record<string, (id: unknown) => unknown> = {
    issue_id: nameOf(issues, 'iid'),
    source_id: nameOf(issues, 'iid'),
    target_id: nameOf(issues, 'iid'),
    about_issue_id: nameOf(issues, 'iid'),
    duplicated_to_id: nameOf(issues, 'iid'),
    note_id: nameOf(notes, 'body'),
    board_id: nameOf(boards, 'name'),
    label_id: nameOf(labels, 'title'),
    milestone_id: nameOf(milestones, 'title'),
  }
  const told = (rows: Array<Record<string, unknown>>) =>
    rows
      .map(({ id: _, project_id: __, namespace_id: ___, discussion_id: ____, ...row }) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? null : (names[name]?.(value) ?? value)])),
      )
      .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
  const ids = (rows: Array<Record<string, unknown>>) => new Set(rows.map(({ id }) => id))
  const [ofIssues, ofNotes, ofBoards] = [ids(issues), ids(notes), ids(boards)]
  const on = async (table: string) =>
    told(
      (await all(table)).filter(
        (row) => ofIssues.has(row.issue_id ?? row.source_id) || ofNotes.has(row.note_id) || ofBoards.has(row.board_id),
      ),
    )
  const of = async (table: string) => told((await all(table)).filter((row) => row.project_id === project_id))
  return {
    issues: told(issues),
    notes: told(notes),
    boards: told(boards),
    label_priorities: await of('label_priorities'),
    events: (await of('events')).filter(({ target_type }) => target_type !== null),
    label_subscriptions: (await of('subscriptions')).filter(({ label_id }) => label_id !== null),
    numbers: await of('internal_ids'),
    ...Object.fromEntries(
      await Promise.all(
        ['issue_assignees', 'issue_labels', 'issue_mentions', 'award_emoji', 'issue_links', 'time_logs', 'board_lists'].map(
          async (table) => [table, await on(table)],
        ),
      ),
    ),
    ...Object.fromEntries(
      await Promise.all(['label_events', 'milestone_events', 'state_events'].map(async (table) => [table, await on(table)])),
    ),
  }
}

async function planned() {
  const [owner, reporter] = [await forge.user(), await forge.user()]
  const group = await forge.group({ owner })
  const project = await forge.project({ group, reporter, files: null })
  return { owner, reporter, group, project, ...(await plan(project, owner, reporter)) }
}

test('an administrator brings back all of it, with what the group has above', onPostgresAlone('Half a second of processor.'), async () => {
  const { owner, group, project } = await planned()
  const before = await planOf(project.id)
  for (const [name, rows] of Object.entries<unknown[]>(before)) expect([name, rows.length > 0]).toEqual([name, true])
  const archive = await exportOf(forge, owner, project)
  const made = await importOf(forge, forge.root, archive, { namespace: String(group.id) })
  expect(made.import_status).toBe('finished')
  const after = await planOf(made.id)
  expect(after).toEqual(before)
  const next = await forge.issue({ ...project, id: made.id }, owner)
  expect(next.iid).toBe(4)
  const titles = async (table: 'labels' | 'milestones') =>
    (await forge.app.db.selectFrom(table).select('title').where('project_id', '=', made.id).execute()).map(({ title }) => title)
  expect([await titles('labels'), await titles('milestones')]).toEqual([['bug'], ['v1']])
})

test(
  'elsewhere labels and milestones of the group become those of the project, and discussions stay apart',
  inFullRun('Half a second of processor. An administrator brings back labels and milestones above.'),
  async () => {
    const { owner, project } = await planned()
    const before = await planOf(project.id)
    const archive = await exportOf(forge, owner, project)
    const elsewhere = await forge.group()
    const made = await importOf(forge, forge.root, archive, { namespace: String(elsewhere.id) })
    const after = await planOf(made.id)
    expect({ ...after, numbers: [] }).toEqual({ ...before, numbers: [] })
    const titles = await forge.app.db
      .selectFrom('milestones')
      .select(['title', 'iid'])
      .where('project_id', '=', made.id)
      .orderBy('iid')
      .execute()
    expect(titles).toEqual([
      { title: 'v1', iid: 1 },
      { title: 'Far', iid: 2 },
    ])
    const discussions = async (project_id: number) =>
      (await forge.app.db.selectFrom('notes').select('discussion_id').where('project_id', '=', project_id).orderBy('id').execute()).map(
        ({ discussion_id }) => discussion_id,
      )
    const [old, fresh] = [await discussions(project.id), await discussions(made.id)]
    expect(fresh.filter((id) => old.includes(id))).toEqual([])
    expect([fresh[0] === fresh[1], fresh[0] === fresh[2]]).toEqual([true, false])
  },
)

test(
  "for anybody else what others did is the importer's, their words with their names, and nobody subscribes",
  inFullRun('Half a second of processor. `review.test.ts` has the same for merge requests.'),
  async () => {
    const { owner, reporter, project, second } = await planned()
    const archive = await exportOf(forge, owner, project)
    const importer = await forge.user()
    const made = await importOf(forge, importer, archive)
    const copy = (await forge.as(importer).get(`/projects/${made.id}/issues/${second.iid}`)).body
    expect(copy).toMatchObject({
      title: 'Second',
      author: { id: importer.id },
      assignees: [],
      user_notes_count: 1,
      upvotes: 1,
      closed_by: null,
    })
    const notes = await forge.app.db.selectFrom('notes').selectAll().where('project_id', '=', made.id).orderBy('id').execute()
    expect(notes.map(({ author_id }) => author_id)).toEqual([importer.id, importer.id, importer.id])
    expect(notes[0]?.body).toContain(`*By ${reporter.name} on 2026-01-04T10:00:00`)
    expect(notes[2]?.body).toBe('mentioned in issue #1')
    expect(await forge.app.db.selectFrom('subscriptions').select('id').where('project_id', '=', made.id).execute()).toEqual([])
  },
)

test('what tells of another project stays at home', async () => {
  const { owner, reporter, project, second } = await planned()
  const other = await forge.project({ owner, files: null })
  const secret = await forge.issue(other, owner)
  const system = { project_id: project.id, issue_id: second.id, author_id: reporter.id, system: true, opens_discussion: true }
  await insert('notes', { ...system, discussion_id: 'ef'.repeat(20), body: 'of an issue', about_issue_id: secret.id, ...when(9) })
  await insert('notes', { ...system, discussion_id: '01'.repeat(20), body: 'of code', about_project_id: other.id, ...when(9) })
  await insert('issue_links', { source_id: second.id, target_id: secret.id, link_type: 'relates_to', ...when(9) })
  const files = await filesIn(await exportOf(forge, owner, project))
  const lines = (table: string) =>
    String(files.find(({ name }) => name === `tables/${table}.jsonl`)?.content)
      .split('\n')
      .filter(Boolean)
  expect([lines('notes').length, lines('issue_links').length]).toEqual([3, 1])
  expect(lines('notes').join()).not.toMatch(/of an issue|of code/)
})

test(
  'an archive whose lines name others that it lacks, or no label could be, is refused, and leaves nothing',
  inFullRun('2 s of processor. `hostile.test.ts` refuses hostile lines.'),
  async () => {
    const { owner, project } = await planned()
    const files = await filesIn(await exportOf(forge, owner, project))
    const changed = (table: string, change: (line: Record<string, unknown>) => Record<string, unknown>) =>
      archiveOf(
        files.map(({ name, content }) => {
          if (name !== `tables/${table}.jsonl`) return { name, content }
          const lines = String(content).split('\n').filter(Boolean)
          return { name, content: lines.map((line) => `${JSON.stringify(change(JSON.parse(line)))}\n`).join('') }
        }),
      )
    const bad: Array<[string, (line: Record<string, unknown>) => Record<string, unknown>]> = [
      ['notes', (line) => ({ ...line, issue: 999_999 })],
      ['issues', (line) => ({ ...line, milestone: 999_999 })],
      ['issues', (line) => ({ ...line, labels: [999_999] })],
      ['issues', (line) => ({ ...line, project_id: 1 })],
      ['issues', (line) => ({ ...line, iid: 0 })],
      ['issues', (line) => ({ ...line, due_date: '2018-13-40' })],
      ['labels', (line) => ({ ...line, title: 'a,b' })],
      ['labels', (line) => ({ ...line, color: 'red;x:y' })],
      ['award_emoji', (line) => ({ ...line, name: '<b>' })],
      ['board_lists', (line) => ({ ...line, board: 999_999 })],
      ['events', (line) => ({ ...line, action: 'pushed' })],
    ]
    for (const [table, change] of bad) {
      const made = await importOf(forge, forge.root, await changed(table, change))
      expect([table, made.import_status]).toEqual([table, 'failed'])
    }
  },
)

test(
  'releases bring their milestones, those of the group above as well',
  inFullRun('1 s of processor. Milestones of the group come back above.'),
  async () => {
    const owner = await forge.user()
    const group = await forge.group({ owner })
    const project = await forge.project({ group })
    for (const [place, title] of [
      [`/groups/${group.id}`, 'Unused'],
      [`/groups/${group.id}`, 'Above'],
      [`/projects/${project.id}`, 'Own'],
    ])
      await forge.as(owner).post(`${place}/milestones`, { title })
    const release = { tag_name: 'v1', ref: 'main', milestones: ['Own', 'Above'] }
    await forge.as(owner).post(`/projects/${project.id}/releases`, release)
    const archive = await exportOf(forge, owner, project)
    for (const place of [group, await forge.group({ owner })]) {
      const { id } = await importOf(forge, owner, archive, { namespace: String(place.id), path: 'again' })
      const { body } = await forge.as(owner).get(`/projects/${id}/releases/v1`)
      const found = body.milestones.map(({ title, group_id }: { title: string; group_id?: number }) => [title, group_id !== undefined])
      expect(found.sort()).toEqual([
        ['Above', place === group],
        ['Own', false],
      ])
    }
    const without = (await filesIn(archive)).filter(({ name }) => name !== 'tables/release_milestones.jsonl')
    const older = without.map(({ name, content }) => (name === 'VERSION' ? { name, content: '5\n' } : { name, content }))
    const { id } = await importOf(forge, owner, await archiveOf(older), { path: 'older' })
    expect((await forge.as(owner).get(`/projects/${id}/releases/v1`)).body.milestones).toEqual([])
  },
)
