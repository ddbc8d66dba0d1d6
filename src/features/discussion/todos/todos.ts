/**
 * Todos: what others may use of them.
 *
 * Todos are hidden when access is lost, and not removed by a job, which would come an hour late, and couldn't be undone. For one act the todos of
 * whoever acts are done first, then those it causes are added. One pending todo for a user and a target, by a unique index.
 */
export { countTodos, listTodos, type TodoFilter } from './lists.queries.ts'
export { presentTodos } from './todos.present.ts'
export { addTodoIn, addTodosIn, completeTodosIn, hasPendingTodo, type NewTodo } from './todos.queries.ts'
export {
  addMentionTodosIn,
  completeAllTodos,
  completeTodo,
  completeTodosOf,
  type Mentions,
  markAsTodo,
  restoreTodo,
} from './todos.service.ts'
