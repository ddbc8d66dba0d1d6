/** SQL for todos. */
import { areOn } from '../../../access/notes.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, NoteableKey, Todo, TodoAction } from '../../../db/tables.ts'
import { columnsOf } from '../../noteable-kinds.ts'

/** A todo for somebody. */
export interface NewTodo {
  target: NoteableKey
  project_id: number
  /** The user who caused it. */
  author_id: number
  action: TodoAction
  note_id?: number | null
  at?: Instant
}

/** One per user; users who already have a pending one there keep only that. Returns the new ones. */
export async function addTodosIn(tx: Tx, userIds: number[], todo: NewTodo): Promise<Todo[]> {
  const { target, project_id, author_id, action, note_id = null, at = now() } = todo
  const ids = [...new Set(userIds)].sort((one, other) => one - other)
  const shared = { project_id, author_id, ...columnsOf(target), note_id, action, created_at: at, updated_at: at }
  const added: Todo[] = []
  for (let start = 0; start < ids.length; start += batch) {
    const rows = ids.slice(start, start + batch).map((user_id) => ({ user_id, ...shared }))
    const query = tx
      .insertInto('todos')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
    added.push(...(await query.returningAll().execute()))
  }
  return added
}

/** Rows per statement: engines limit the values, and `@all` may be thousands of people. */
const batch = 1000

/** Null if the user already has a pending one there. */
export async function addTodoIn(tx: Tx, userId: number, todo: NewTodo): Promise<Todo | null> {
  const [added] = await addTodosIn(tx, [userId], todo)
  return added ?? null
}

/** Marks what is pending for the user there as done. */
export async function completeTodosIn(tx: Tx, userId: number, target: NoteableKey, at: Instant = now()): Promise<void> {
  await tx
    .updateTable('todos')
    .set({ state: 'done', updated_at: at })
    .where('user_id', '=', userId)
    .where(areOn('todos', target))
    .where('state', '=', 'pending')
    .execute()
}

/** Completes the todos that ask to approve deployments of a commit: those of one user, or all of them. */
export async function completeApprovalsIn(
  tx: Tx,
  { project_id, sha }: { project_id: number; sha: string },
  user_id: number | null,
  updated_at: Instant,
): Promise<void> {
  await tx
    .updateTable('todos')
    .set({ state: 'done', updated_at })
    .where('project_id', '=', project_id)
    .where('commit_oid', '=', sha)
    .where('action', '=', 'approval_required')
    .where('state', '=', 'pending')
    .$if(user_id !== null, (query) => query.where('user_id', '=', user_id as number))
    .execute()
}

export async function hasPendingTodo(db: Db, userId: number, target: NoteableKey): Promise<boolean> {
  const found = db
    .selectFrom('todos')
    .select('id')
    .where('user_id', '=', userId)
    .where(areOn('todos', target))
    .where('state', '=', 'pending')
  return (await found.executeTakeFirst()) !== undefined
}
