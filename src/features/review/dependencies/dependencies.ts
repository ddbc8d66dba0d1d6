/** Merge requests that wait for others or build on them: what other features may use. */
export { blockOf, blocksAt, deleteBlock, isBlocked, scheduledAfter, stackedIn, visibleAmong } from './dependencies.queries.ts'
export { addBlock } from './dependencies.service.ts'
export { type Stacked, stackOf } from './stacks.ts'
