/** What other features do with forks: they are held with their sources, and counted in the transaction that changes their number. */
export { lockFamilies, recountForks } from './forks.queries.ts'
