/** Progress of imports, forks and exports: what others may use of it. */
export { findProgress, type Progress } from './progress.queries.ts'
export { type Watch, watched } from './watch.service.ts'
