/** Contributions of users: what other features may use. */
export { type Contributions, contributionsOf } from './contributions.service.ts'
