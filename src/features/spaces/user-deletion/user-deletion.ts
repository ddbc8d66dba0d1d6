/** Deletion of users: what others may use of it. */
export { deleteUser, rejectUser } from './user-deletion.service.ts'
