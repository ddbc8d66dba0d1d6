/** Runs in every test file before its tests. */
import { relative } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, expect, type RunnerTask, type RunnerTestCase } from 'vitest'
import { engine } from '../database.ts'
import { cleanUp } from './cleanup.ts'
import { cpuBudgetOf, measureCpu, measureForked, reportCpu } from './cpu.ts'
import { takeUndeclared } from './declared-statuses.ts'
import { describeWaiting } from './hanging.ts'
import { passMidnight } from './midnight.ts'
import { chosenOf, isOnPostgres, lineOf } from './on-postgres.ts'
import { seed } from './seed.ts'
import { startRecord, writeRecord } from './statements.ts'
import { isGate, isRest } from './tiers.ts'

const loading = measureCpu()
let running = loading
const forkedSince = measureForked()
await passMidnight()
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })

// The first hook of all.
beforeAll(() => {
  running = measureCpu()
})

beforeEach(({ task, skip }) => {
  if (isGate && !isInGate(task)) skip('in the full run')
  if (isRest && isInGate(task)) skip('in the gate')
  startRecord()
})

afterEach(({ task }) => {
  const timedOut = task.result?.errors?.some(({ message }) => message.startsWith('Test timed out'))
  if (timedOut) process.stderr.write(`${task.fullTestName} did not end in time.\n${describeWaiting()}\n`)
  const { in_full_run = false, on_postgres_alone = false } = task.meta
  writeRecord({ engine, file: pathOf(task.file), name: task.fullTestName, in_full_run, on_postgres_alone })
  expect(takeUndeclared(), 'replies with a status that the declaration of their endpoint does not have').toEqual([])
})

// biome-ignore lint/correctness/noEmptyPattern: vitest reads which fixtures a hook wants from its first parameter
afterAll(async ({}, file) => {
  await cleanUp()
  const budget_s = cpuBudgetOf(file.file.filepath)
  if (budget_s !== undefined) file.meta.cpu_budget_s = budget_s
  file.meta.cpu_s = reportCpu(loading(), running())
  file.meta.forked_s = forkedSince()
  const path = pathOf(file.file)
  expect(
    testsIn(file.file.tasks).filter(({ meta, fullTestName }) => meta.on_postgres_alone && !isOnPostgres(path, fullTestName)),
    'tests that the gate leaves to PostgreSQL, where it does not run them',
  ).toEqual([])
  if (engine === 'postgres') {
    const there = new Set(testsIn(file.file.tasks).map(({ fullTestName }) => lineOf(path, fullTestName)))
    expect(
      chosenOf(path).filter((line) => !there.has(line)),
      'tests that test/on-postgres.txt names and that are not there',
    ).toEqual([])
  }
})

function isInGate({ file, fullTestName, meta }: RunnerTestCase): boolean {
  if (meta.in_full_run) return false
  return engine === 'postgres'
    ? isOnPostgres(pathOf(file), fullTestName)
    : !(meta.on_postgres_alone && process.env.GITSTEAD_TEST_DATABASE_URL)
}

function testsIn(tasks: RunnerTask[]): RunnerTestCase[] {
  return tasks.flatMap((task) => (task.type === 'suite' ? testsIn(task.tasks) : [task]))
}

/** From the root of the project. */
function pathOf({ filepath }: { filepath: string }): string {
  return relative(process.cwd(), filepath)
}
