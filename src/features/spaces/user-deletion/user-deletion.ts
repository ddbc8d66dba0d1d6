/** Deletion of users: what others may use of it. */
export { deleteUser } from './user-deletion.service.ts'
