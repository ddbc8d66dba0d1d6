/** The rules of todos: who gets one, and what completes it. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, type Tx } from '../../../db/database.ts'
import type { Instant, Note, NoteableRow, Todo, User } from '../../../db/tables.ts'
import { missing } from '../../../failure.ts'
import { type Issuable, keyIn, keyOf, kindOf } from '../../noteable-kinds.ts'
import { completeAll, markTodo, type TodoFilter, todoOf } from './lists.queries.ts'
import { addTodoIn, addTodosIn, completeTodosIn, hasPendingTodo } from './todos.queries.ts'

/** Who a text of a noteable or of a note on it speaks to. */
export interface Mentions {
  on: NoteableRow
  project: LocatedProject
  /** The note with the text; null for the description. */
  note: Note | null
  /** Who wrote it. */
  author_id: number
  /** Those named at the start of a line. */
  addressed: number[]
  mentioned: number[]
  at?: Instant
}

/** Todos for those of them who can see the text. Of a text that was changed, give those whom it didn't mention before. */
export async function addMentionTodosIn(tx: Tx, mentions: Mentions): Promise<void> {
  const { on, project, note, author_id, addressed, mentioned, at } = mentions
  const internal = note?.internal ?? false
  const readers = new Set(await kindOf(on).readers(tx, project, on.row, [...addressed, ...mentioned], { internal }))
  const todo = { target: keyOf(on), project_id: project.id, author_id, note_id: note?.id ?? null, ...(at && { at }) }
  await addTodosIn(
    tx,
    addressed.filter((id) => readers.has(id)),
    { ...todo, action: 'directly_addressed' },
  )
  await addTodosIn(
    tx,
    mentioned.filter((id) => readers.has(id)),
    { ...todo, action: 'mentioned' },
  )
}

/** Puts it among the todos of the user; null where it is there already. */
export function markAsTodo(app: App, user: User, noteable: Issuable): Promise<Todo | null> {
  const todo = { target: keyOf(noteable), project_id: noteable.project.id, author_id: user.id, action: 'marked' } as const
  return inTransaction(app.db, (tx) => addTodoIn(tx, user.id, todo))
}

/** Marks all that the user has of it as done. */
export function completeTodosOf(app: App, user: User, noteable: Issuable): Promise<void> {
  return inTransaction(app.db, (tx) => completeTodosIn(tx, user.id, keyOf(noteable)))
}

/** Marks it as done; one that is done stays so. Throws 404 for what isn't theirs, or is hidden from them by now. */
export async function completeTodo(app: App, user: User, id: number): Promise<Todo> {
  return inTransaction(app.db, async (tx) => {
    const todo = await findTodo(tx, user, id)
    return todo.state === 'done' ? todo : markTodo(tx, id, 'done')
  })
}

/** Puts one that is done back among those to do, unless there is another one by now, which stays in its place. Throws 404 as `completeTodo`. */
export async function restoreTodo(app: App, user: User, id: number): Promise<Todo> {
  return inTransaction(app.db, async (tx) => {
    const todo = await findTodo(tx, user, id)
    const target = keyIn(todo)
    const isTaken = target !== null && (await hasPendingTodo(tx, user.id, target))
    return todo.state === 'pending' || isTaken ? todo : markTodo(tx, id, 'pending')
  })
}

/** Marks all pending ones that match as done; returns their ids, for who wants to undo it. */
export function completeAllTodos(app: App, user: User, filter: Omit<TodoFilter, 'state'>): Promise<number[]> {
  return inTransaction(app.db, (tx) => completeAll(tx, user.id, filter))
}

async function findTodo(db: Db, user: User, id: number): Promise<Todo> {
  const todo = await todoOf(db, user, id)
  if (!todo) throw missing()
  return todo
}
