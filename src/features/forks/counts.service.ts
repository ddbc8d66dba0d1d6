/** What other features do with the number of a project's forks: it is counted in the transaction that changes it. */
export { lockSourceOf, recountForks } from './forks.queries.ts'
