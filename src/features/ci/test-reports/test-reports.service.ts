/** Test reports of a pipeline, parsed from the JUnit files of its jobs, and compared with those of another one. */
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { App } from '../../../app.ts'
import type { CiArtifact } from '../../../db/tables.ts'
import { isAvailable } from '../artifacts/artifacts.ts'
import { parseJunit, type TestCase } from './junit.ts'
import { junitOfPipeline } from './test-reports.queries.ts'

/** Larger reports, compressed or not, are ignored. */
const maxReport_bytes = 32 * 1024 * 1024
const unzip = promisify(gunzip)

export interface TestSuite {
  /** The name of the job. */
  name: string
  job_ids: number[]
  cases: TestCase[]
  error: string | null
}

/** One suite per job with a report, by name. */
export async function testSuitesOf(app: App, pipeline_id: number): Promise<TestSuite[]> {
  const suites: TestSuite[] = []
  for (const file of await junitOfPipeline(app.db, pipeline_id)) {
    if (!(await isAvailable(app.db, file))) continue
    const { cases, error } = await readReport(app, file)
    suites.push({ name: file.job_name, job_ids: [file.job_id], cases, error })
  }
  return suites
}

async function readReport(app: App, file: CiArtifact): Promise<{ cases: TestCase[]; error: string | null }> {
  if (file.size > maxReport_bytes) return { cases: [], error: 'JUnit XML is too large' }
  const bytes = await buffer(await app.store.open(file.store_key))
  try {
    const text = file.file_format === 'gzip' ? await unzip(bytes, { maxOutputLength: maxReport_bytes }) : bytes
    return documentsIn(text.toString('utf8'))
  } catch (error) {
    const isLarge = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
    return { cases: [], error: isLarge ? 'JUnit XML is too large' : 'JUnit XML data parsing failed' }
  }
}

/** Agents concatenate several compressed files. */
function documentsIn(text: string): { cases: TestCase[]; error: string | null } {
  const reports = text
    .split(/(?=<\?xml\s)/)
    .filter((part) => part.trim() !== '')
    .map(parseJunit)
  if (reports.length === 0) return { cases: [], error: 'JUnit XML data parsing failed' }
  return { cases: reports.flatMap(({ cases }) => cases), error: reports.find(({ error }) => error !== null)?.error ?? null }
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
