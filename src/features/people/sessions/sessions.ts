/** Sessions: what others may use of them. */
export { beginSession, endSession, newSecret } from './sessions.service.ts'
