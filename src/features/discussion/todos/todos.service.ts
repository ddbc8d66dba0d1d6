/** Rules of todos: who gets one, and what completes it. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, type Tx } from '../../../db/database.ts'
import type { Instant, Note, NoteableRow, Todo, User } from '../../../db/tables.ts'
import { missing } from '../../../failure.ts'
import { type Issuable, keyIn, keyOf, kindOf } from '../../noteable-kinds.ts'
import { completeAll, markTodo, type TodoFilter, todoOf } from './lists.queries.ts'
import { addTodoIn, addTodosIn, completeTodosIn, hasPendingTodo } from './todos.queries.ts'

/** The users whom a text of a noteable, or of a note on it, mentions. */
export interface Mentions {
  on: NoteableRow
  project: LocatedProject
  /** The note that contains the text; null for the description. */
  note: Note | null
  /** The author of the text. */
  author_id: number
  /** The users named at the beginning of a paragraph. */
  addressed: number[]
  mentioned: number[]
  at?: Instant
}

/** Adds todos for those of them who can see the text. For a changed text, pass only users whom it didn't mention before. */
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

/** Adds it to the todos of the user; null if they already have it. */
export function markAsTodo(app: App, user: User, noteable: Issuable): Promise<Todo | null> {
  const todo = { target: keyOf(noteable), project_id: noteable.project.id, author_id: user.id, action: 'marked' } as const
  return inTransaction(app.db, (tx) => addTodoIn(tx, user.id, todo))
}

/** Marks all todos of the user for it as done. */
export function completeTodosOf(app: App, user: User, noteable: Issuable): Promise<void> {
  return inTransaction(app.db, (tx) => completeTodosIn(tx, user.id, keyOf(noteable)))
}

/** Marks it as done; safe to repeat. Throws 404 if it isn't theirs, or its target is now hidden from them. */
export async function completeTodo(app: App, user: User, id: number): Promise<Todo> {
  return inTransaction(app.db, async (tx) => {
    const todo = await findTodo(tx, user, id)
    return todo.state === 'done' ? todo : markTodo(tx, id, 'done')
  })
}

/**
 * Makes a done todo pending again, unless there is a newer pending one for the same target, which takes its place. Throws 404 as
 * `completeTodo` does.
 */
export async function restoreTodo(app: App, user: User, id: number): Promise<Todo> {
  return inTransaction(app.db, async (tx) => {
    const todo = await findTodo(tx, user, id)
    const target = keyIn(todo)
    const isTaken = target !== null && (await hasPendingTodo(tx, user.id, target))
    return todo.state === 'pending' || isTaken ? todo : markTodo(tx, id, 'pending')
  })
}

/** Marks all matching pending ones as done; returns their ids, to undo it. */
export function completeAllTodos(app: App, user: User, filter: Omit<TodoFilter, 'state'>): Promise<number[]> {
  return inTransaction(app.db, (tx) => completeAll(tx, user.id, filter))
}

async function findTodo(db: Db, user: User, id: number): Promise<Todo> {
  const todo = await todoOf(db, user, id)
  if (!todo) throw missing()
  return todo
}
