/** Stacks that are merged as a whole: what other features may use. */
export { stackedMergeOf } from './stack-merges.queries.ts'
export { cancelStackedMerge, mergeStack, type Step, stepsOf } from './stack-merges.service.ts'
