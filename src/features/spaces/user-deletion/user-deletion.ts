/** Deletion of users: what other features may use. */
export { deleteUser } from './user-deletion.service.ts'
