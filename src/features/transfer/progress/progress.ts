/** Progress of imports, forks and exports: what other features may use. */
export { findProgress, type Progress } from './progress.queries.ts'
export { type Watch, watched } from './watch.service.ts'
