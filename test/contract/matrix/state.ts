/** The rows that decide access to a place. A call may change them, so they are saved before and restored after it. */
import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../../src/db/tables.ts'
import type { TestUser } from '../../support/forge.ts'
import type { ContractFixtures } from '../world/fixtures.ts'
import { putBack, type Row, type Rows } from './rows.ts'

/** A project in a group, with a member whom calls name. */
export interface Described extends ContractFixtures {
  bystander: TestUser
}

/** The rows of a place that decide about access, and which of the rows that calls name are there. */
export interface State {
  /** Null if it was deleted. */
  project: Row | null
  group: Row | null
  user: Row | null
  members: Row[]
  protected_branches: Row[]
  protected_tags: Row[]
  present: unknown[]
}

/** Columns that follow from pushes, comments and visits, and decide nothing. */
const apart = /^(updated_at|last_\w+|current_sign_in_at|readme_path|avatar_\w+)$|_(count|size|token|token_digest)$/

/** In a row every column counts, so that the state of a new one can't be left to the calls that follow. */
export async function readState({ forge, project, group, bystander, values }: Described): Promise<State> {
  const { db } = forge.app
  const one = async (table: 'projects' | 'namespaces' | 'users', id: number) =>
    decidingColumns((await db.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirst()) ?? null)
  const ofProject = (table: 'protected_branches' | 'protected_tags') =>
    db.selectFrom(table).selectAll().where('project_id', '=', project.id).orderBy('id').execute()
  return {
    project: await one('projects', project.id),
    group: await one('namespaces', group.id),
    user: await one('users', bystander.id),
    members: await db
      .selectFrom('members')
      .select(['id', 'project_id', 'namespace_id', 'user_id', 'access_level', 'created_at'])
      .where((eb) => eb.or([eb('namespace_id', '=', group.id), eb('project_id', '=', project.id)]))
      .orderBy('id')
      .execute(),
    protected_branches: await ofProject('protected_branches'),
    protected_tags: await ofProject('protected_tags'),
    present: await presentRows(db, values),
  }
}

function decidingColumns(row: Row | null): Row | null {
  return row && Object.fromEntries(Object.entries(row).filter(([name]) => !apart.test(name)))
}

/** Rows that more than one endpoint deletes: under two addresses, or with what they belong to. */
async function presentRows(db: Kysely<Tables>, values: Record<string, string>): Promise<unknown[]> {
  const numbers = (...names: string[]) => names.map((name) => Number(values[name]))
  const awards = numbers(
    'award_id',
    'note_award_id',
    'merge_request_award_id',
    'merge_request_note_award_id',
    'snippet_award_id',
    'snippet_note_award_id',
    'commit_note_award_id',
  )
  const listed = [
    ['snippets', numbers('snippet_id', 'personal_snippet_id')],
    ['ci_schedules', numbers('pipeline_schedule_id')],
    ['ci_environments', numbers('environment_id')],
    // Deleted with their target: an issue, a note.
    ['award_emoji', awards],
    ['notes', numbers('commit_note_id')],
  ] as const
  const found: unknown[] = []
  for (const [table, ids] of listed) found.push(await db.selectFrom(table).select('id').where('id', 'in', ids).orderBy('id').execute())
  const runners = numbers('runner_id', 'second_runner_id')
  found.push(await db.selectFrom('ci_runner_projects').selectAll().where('runner_id', 'in', runners).orderBy('project_id').execute())
  return found
}

/**
 * Restores what a call has changed, if it can be. `rows` is the whole database as it was built: it is compared with what is there only where
 * rows were deleted, as that takes longest.
 */
export async function restoreState({ forge, project, group, bystander }: Described, before: State, now: State, rows: Rows): Promise<void> {
  const { db } = forge.app
  const differs = (part: keyof State) => JSON.stringify(before[part]) !== JSON.stringify(now[part])
  try {
    if (differs('present') || !now.project || !now.group || !now.user) await putBack(db, rows)
    await db.transaction().execute(async (tx) => {
      if (differs('project'))
        await tx
          .updateTable('projects')
          .set({ ...before.project })
          .where('id', '=', project.id)
          .execute()
      if (differs('group'))
        await tx
          .updateTable('namespaces')
          .set({ ...before.group })
          .where('id', '=', group.id)
          .execute()
      if (differs('user'))
        await tx
          .updateTable('users')
          .set({ ...before.user })
          .where('id', '=', bystander.id)
          .execute()
      if (differs('members')) {
        await tx
          .deleteFrom('members')
          .where((eb) => eb.or([eb('namespace_id', '=', group.id), eb('project_id', '=', project.id)]))
          .execute()
        await insertRows(tx, 'members', before.members)
      }
      for (const table of ['protected_branches', 'protected_tags'] as const) {
        if (!differs(table)) continue
        await tx.deleteFrom(table).where('project_id', '=', project.id).execute()
        await insertRows(tx, table, before[table])
      }
    })
  } catch {
    // Rows that they refer to are gone: another world is opened then.
  }
}

async function insertRows(tx: Transaction<Tables>, table: 'members' | 'protected_branches' | 'protected_tags', rows: Row[]): Promise<void> {
  if (rows.length > 0)
    await tx
      .insertInto(table)
      .values(rows as never)
      .execute()
}
