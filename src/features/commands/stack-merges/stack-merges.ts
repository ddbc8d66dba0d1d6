/** Stacks that are merged as a whole: what other features may use. */
export { cancelStackedMerge } from './leaving.service.ts'
export { stackedMergeOf } from './stack-merges.queries.ts'
export { mergeStack, type Step, stepsOf } from './stack-merges.service.ts'
