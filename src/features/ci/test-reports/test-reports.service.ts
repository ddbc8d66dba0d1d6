/** Test reports of a pipeline, parsed from the JUnit files of its jobs, and compared with those of another one. */
import { buffer } from 'node:stream/consumers'
import type { App } from '../../../app.ts'
import { charsOf, type Report, type Room, type TestCase } from '../../../ci/text/junit.ts'
import type { CiArtifact } from '../../../db/tables.ts'
import { isAvailable } from '../artifacts/artifacts.ts'
import { readJunit } from '../planner/planner.ts'
import { junitOfPipeline } from './test-reports.queries.ts'

/** Larger reports, compressed or not, are ignored. */
const maxReport_bytes = 32 * 1024 * 1024
/** The limit for all reports of a pipeline; the rest is left out, with an error in its suite. */
const maxCases = 100_000
const maxText_chars = 8 * 1024 * 1024
const maxTime_ms = 10_000

export interface TestSuite {
  /** The name of the job. */
  name: string
  job_ids: number[]
  cases: TestCase[]
  error: string | null
}

/** One suite per job with a report, by name. */
export async function testSuitesOf(app: App, { id, project_id }: { id: number; project_id: number }): Promise<TestSuite[]> {
  const suites: TestSuite[] = []
  const room = { cases: maxCases, chars: maxText_chars }
  const until = performance.now() + maxTime_ms
  for (const file of await junitOfPipeline(app.db, id)) {
    if (!(await isAvailable(app.db, file))) continue
    const isLate = performance.now() > until
    const { cases, error } = isLate ? { cases: [], error: tooMuch } : await readReport(app, `project ${project_id}`, file, room)
    room.cases -= cases.length
    room.chars -= cases.reduce((sum, one) => sum + charsOf(one), 0)
    suites.push({ name: file.job_name, job_ids: [file.job_id], cases, error })
  }
  return suites
}

const tooMuch = 'The test reports of the pipeline take too much time to read'
const tooLarge = { cases: [], error: 'JUnit XML is too large' }

async function readReport(app: App, whose: string, { file_format, size, store_key }: CiArtifact, room: Room): Promise<Report> {
  if (size > maxReport_bytes) return tooLarge
  const bytes = await buffer(await app.store.open(store_key))
  return readJunit(whose, { key: store_key, bytes, isCompressed: file_format === 'gzip', max_bytes: maxReport_bytes, room })
}

export interface Counts {
  total_time: number
  total_count: number
  success_count: number
  failed_count: number
  skipped_count: number
  error_count: number
}

export function countsOf(cases: readonly TestCase[]): Counts {
  const counts: Counts = { total_time: 0, total_count: cases.length, success_count: 0, failed_count: 0, skipped_count: 0, error_count: 0 }
  for (const { status, execution_time } of cases) {
    counts[`${status}_count`] += 1
    counts.total_time += execution_time
  }
  counts.total_time = Math.round(counts.total_time * 1e6) / 1e6
  return counts
}

export interface Comparison {
  /** Failures that the base doesn't have, those that both have, and those that were fixed. */
  new_failures: TestCase[]
  existing_failures: TestCase[]
  resolved_failures: TestCase[]
}

/** Compares suites and cases with the same names in two pipelines. */
export function compareSuites(base: readonly TestSuite[], head: readonly TestSuite[]): Comparison {
  const before = statusesBy(base)
  const after = statusesBy(head)
  const isBroken = (test: TestCase | undefined) => test?.status === 'failed' || test?.status === 'error'
  const broken = [...after].filter(([, test]) => isBroken(test))
  return {
    new_failures: broken.filter(([key]) => !isBroken(before.get(key))).map(([, test]) => test),
    existing_failures: broken.filter(([key]) => isBroken(before.get(key))).map(([, test]) => test),
    resolved_failures: [...before].filter(([key, test]) => isBroken(test) && after.get(key)?.status === 'success').map(([, test]) => test),
  }
}

function statusesBy(suites: readonly TestSuite[]): Map<string, TestCase> {
  return new Map(
    suites.flatMap(({ name, cases }) => cases.map((test) => [JSON.stringify([name, test.classname, test.name]), test] as const)),
  )
}
