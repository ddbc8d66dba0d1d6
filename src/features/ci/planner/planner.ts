/**
 * Parses CI files and test reports, and plans pipelines, in separate processes, with a deadline and a memory limit, so that no file can
 * block or end the server.
 */
import type { IncludeLoader, PlanContext } from '../../../ci/plan.ts'
import type { Report } from '../../../ci/text/junit.ts'
import { type Errand, JobLost, openSandbox } from '../../../sandbox/sandbox.ts'
import type { Answers, Job, JunitFile, PlanJob, PlannedFile, Question } from './errand.ts'

export type { PlannedFile, PlannedFor } from './errand.ts'

/** Lookups that planning may need. Each one runs only when a rule asks for it. */
export type LookUps = Pick<PlanContext, 'changedPaths' | 'files'> & { load: IncludeLoader }

export interface PlannerOptions {
  /** Time limit of the process, not counting the time for loading includes. The largest accepted files need two seconds. */
  longest_ms?: number
  max_mb?: number
}

export interface Planner {
  /** Never throws for errors of authors. Throws `too_many` if too many files of this caller wait, `busy` if too many do in total. */
  plan: (whose: string, job: Omit<PlanJob, 'kind'>, lookUps: LookUps) => Promise<PlannedFile>
  /** As `coverageIn`; null if that takes too long. */
  coverage: (whose: string, text: string, pattern: string) => Promise<number | null>
  /** Never throws for errors of authors, but for waiting files as `plan` does. A file that was given up is known by its key for some minutes. */
  junit: (whose: string, file: JunitFile & { key: string }) => Promise<Report>
}

const tooCostly = 'The file takes too much time or memory to read'

export function openPlanner({ longest_ms = 10_000, max_mb = 192 }: PlannerOptions = {}): Planner {
  const sandbox = openSandbox({
    program: { source: new URL('./worker.ts', import.meta.url), shipped: './ci-worker.js' },
    ...{ processes: 2, maxWaiting: 20, maxWaitingInAll: 200, max_mb, idle_ms: 30_000 },
  })

  async function run<T>(whose: string, job: Job, lost: T, more: Pick<Errand, 'answer' | 'content'> = {}): Promise<T> {
    try {
      return (await sandbox.run(whose, { job, longest_ms, ...more })) as T
    } catch (error) {
      if (error instanceof JobLost) return lost
      throw error
    }
  }

  return {
    plan: (whose, job, lookUps) =>
      run<PlannedFile>(whose, { kind: 'plan', ...job }, { errors: [tooCostly], warnings: [], includes: [] }, { answer: answerBy(lookUps) }),
    coverage: (whose, text, pattern) => run<number | null>(whose, { kind: 'coverage', text, pattern }, null),
    junit: (whose, { key, ...file }) => run<Report>(whose, { kind: 'junit', ...file }, { cases: [], error: tooCostly }, { content: key }),
  }
}

/** Origins of files are kept here; the sandbox only gets numbers for them. */
function answerBy({ load, changedPaths, files }: LookUps): (question: unknown) => Promise<unknown> {
  const origins: unknown[] = []
  const include = async ({ entry, from, max_chars }: Extract<Question, { kind: 'include' }>): Promise<Answers['include']> => {
    const loaded = await load(entry, from === null ? null : origins[from], max_chars)
    if ('error' in loaded) return loaded
    const origin = origins.push('file' in loaded ? loaded.file.origin : loaded.origin) - 1
    return 'file' in loaded ? { file: { ...loaded.file, origin } } : { ...loaded, origin }
  }
  return async (given) => {
    const question = given as Question
    if (question.kind === 'include') return include(question)
    return question.kind === 'changed' ? changedPaths(question.compareTo) : files()
  }
}

const planner = openPlanner()

export const { plan: planFile, coverage: findCoverage, junit: readJunit } = planner
