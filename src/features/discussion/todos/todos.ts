/**
 * Todos: what other features may use. They are hidden when access is lost, rather than removed by a job, which would run late and couldn't
 * be undone. An action first completes the todos of the actor, then adds those that it causes. A unique index allows one pending todo per
 * user and target.
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
export { countWaiting } from './user-counts.queries.ts'
