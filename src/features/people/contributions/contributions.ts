/** Contributions of users: what others may use of them. */
export { type Contributions, contributionsOf } from './contributions.service.ts'
