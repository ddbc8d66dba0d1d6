/** The program of the process that parses CI files and test reports, plans pipelines, and matches patterns of users against long texts. */
import { gunzipSync } from 'node:zlib'
import { stringify } from 'yaml'
import type { PlanContext, Planned } from '../../../ci/plan.ts'
import { type Config, createPatterns, parseConfig, planFor, toPlain } from '../../../ci/planning/planning.ts'
import { coverageIn } from '../../../ci/text/coverage.ts'
import { variablesCovering } from '../../../ci/text/environment-scopes.ts'
import { type Report, readReport } from '../../../ci/text/junit.ts'
import { type Ask, serveJobs } from '../../../sandbox/serve.ts'
import type { Answers, Job, JunitFile, PlanJob, PlannedFile, Question } from './errand.ts'

/** Limit of all jobs of a pipeline together: a few lines of defaults can be repeated in ten thousand jobs. */
const maxPlan_chars = 16_000_000
const tooBig = 'The jobs of the pipeline are too big'

serveJobs(async (job: Job, ask) => made(job, ask))

function made(job: Job, ask: Ask): unknown {
  switch (job.kind) {
    case 'plan':
      return plan(job, ask)
    case 'coverage':
      return coverageIn(job.text, job.pattern)
    case 'junit':
      return junit(job)
  }
}

function junit({ bytes, isCompressed, max_bytes, room }: JunitFile): Report {
  try {
    const text = isCompressed
      ? gunzipSync(bytes, { maxOutputLength: max_bytes })
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    return readReport(text.toString('utf8'), room)
  } catch (error) {
    const isLarge = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
    return { cases: [], error: isLarge ? 'JUnit XML is too large' : 'JUnit XML data parsing failed' }
  }
}

async function plan(
  { source, context: { stored, given, ...known }, inputs = {}, ignores_rules, with_yaml }: PlanJob,
  ask: Ask,
): Promise<PlannedFile> {
  const question = <K extends Question['kind']>(asked: Extract<Question, { kind: K }>) => ask(asked) as Promise<Answers[K]>
  const storedFor = variablesCovering(stored)
  const context: PlanContext = {
    ...known,
    variablesFor: (environment) => [...storedFor(environment), ...given],
    changedPaths: (compareTo) => question({ kind: 'changed', compareTo }),
    files: () => question({ kind: 'files' }),
  }
  const patterns = createPatterns()
  const load = (entry: Extract<Question, { kind: 'include' }>['entry'], from: unknown, max_chars: number) =>
    question({ kind: 'include', entry, from: typeof from === 'number' ? from : null, max_chars })
  const parsed = await parseConfig(source, load, context, patterns, inputs)
  if ('errors' in parsed) return parsed
  const { config, warnings, includes } = parsed
  const planned = bounded(await planFor(ignores_rules ? withoutRules(config) : config, context, patterns))
  return { planned, warnings, includes, merged_yaml: with_yaml ? yamlOf(config) : null }
}

function bounded(planned: Planned): Planned {
  if (planned.outcome !== 'planned') return planned
  let left = maxPlan_chars
  for (const job of planned.plan.jobs) {
    left -= JSON.stringify(job).length
    if (left < 0) return { outcome: 'invalid', errors: [tooBig] }
  }
  return planned
}

/** The largest possible result of the file. */
function withoutRules(config: Config): Config {
  const jobs = config.jobs.map((job) => ({ ...job, rules: null, only: null, except: null }))
  return { ...config, jobs, workflow: { ...config.workflow, rules: null } }
}

const yamlOf = ({ merged }: Config) => `---\n${stringify(toPlain(merged), { aliasDuplicateObjects: false, lineWidth: 0 })}`
