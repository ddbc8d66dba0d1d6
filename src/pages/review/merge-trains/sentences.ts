/** Sentences of the queue of merge requests. */
import { translated } from '../../../html/sentences.ts'

export const sentences = translated({
  what: 'Each is tested with those before it, and the branch becomes exactly what was tested.',
  empty: 'Nothing waits in this queue.',
  noneMerged: 'Nothing has been merged by this queue yet.',
  off: 'Merge requests of this project are not merged by a queue.',
  saved: 'The settings of the merge queue are saved.',
  enabled: 'Merge requests are merged by a queue',
  enabledHint: 'Each is tested with those before it by a pipeline of its own, for jobs whose rules ask for it.',
  skipping: 'Everybody who may merge may do so past the queue',
  skippingHint: 'Otherwise only maintainers may. What waits is tested anew.',
  pipelines: 'Pipelines at the same time',
  together: 'Requests that one pipeline tests together',
  togetherHint: 'Where more wait than can be tested at the same time. With 1 each is tested by itself.',
} as const)

export const statusWords = translated({
  idle: 'waits to be tested',
  stale: 'waits to be tested again',
  fresh: 'is tested',
  merging: 'is being merged',
  merged: 'merged',
  skip_merged: 'merged past the queue',
} as const)
