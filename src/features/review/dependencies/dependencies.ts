/** Merge requests that wait for others or build on them: what other features may use. */
export { blockOf, blocksAt, deleteBlock, isBlocked, scheduledAfter, visibleAmong, withChangesOf } from './dependencies.queries.ts'
export { addBlock } from './dependencies.service.ts'
export { readStack } from './stack.service.ts'
export type { Stacked } from './stacks.ts'
