/** Traces of jobs: what other features may use of them. */
export { appendTrace } from './append.service.ts'
export { traceInterval } from './interval.ts'
export { noteThatPrintsVariables } from './traces.queries.ts'
export { type OpenTrace, openTrace, removeTracesOf, tailOfTrace } from './traces.service.ts'
