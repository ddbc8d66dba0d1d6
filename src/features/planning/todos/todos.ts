/** Todos: what others may use of them. */
export { addTodoIn, addTodosIn, completeTodosIn, hasPendingTodo, type NewTodo, type Target } from './todos.queries.ts'
export { addMentionTodosIn, type Mentions } from './todos.service.ts'
