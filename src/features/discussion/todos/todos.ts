/** Todos: what others may use of them. */
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
