/** Whatever merges a merge request obeys one rule: where the project has a queue, what may wait goes through it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const source = fileURLToPath(new URL('../../src', import.meta.url))
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.ts$/.test(file))

/** The files that hold the text, from `src`, in order. */
const holding = (text: string) => files.filter((file) => readFileSync(join(source, file), 'utf8').includes(text)).sort()

test('every way to merge asks whether the project has a queue', () => {
  expect(holding('mergeOrAdd(app')).toEqual([
    'features/commands/merge-requests/merging.endpoints.ts',
    // The definition itself.
    'features/commands/merge-trains/trains.service.ts',
    // The quick action.
    'features/commands/notes/notes.jobs.ts',
    // Stacks: the jobs merge all above the lowest, the service the lowest.
    'features/commands/stack-merges/stack-merges.jobs.ts',
    'features/commands/stack-merges/stack-merges.service.ts',
    'pages/review/merge-requests/merge.pages.ts',
  ])
  // Past it: what `mergeOrAdd` calls, its own file, and the automatic merge, which has asked for the queue before.
  expect(holding('mergeMergeRequest(app')).toEqual([
    'features/commands/merge-trains/trains.service.ts',
    'features/commands/merging/merging.service.ts',
    'features/commands/merging/waiting.jobs.ts',
  ])
})

test('nothing else pushes a merge', () => {
  expect(holding('is_merge: true')).toEqual([
    'features/commands/merge-trains/landing.service.ts',
    'features/commands/merging/merging.service.ts',
  ])
})
