/** Runs in every test file before its tests. */
import { afterAll, afterEach, expect } from 'vitest'
import { cleanUp } from './cleanup.ts'
import { measureCpu } from './cpu.ts'
import { takeUndeclared } from './declared-statuses.ts'

const recordCpu = measureCpu()

afterEach(() => {
  expect(takeUndeclared(), 'replies with a status that the declaration of their endpoint does not have').toEqual([])
})

afterAll(async () => {
  await cleanUp()
  recordCpu()
})
