/** Numbers of issues and milestones: what other features may use. */
export { nextNumber, noteNumber, takeNumbers } from './numbering.queries.ts'
