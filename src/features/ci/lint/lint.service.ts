/** Checks a CI file: what it says, and with a ref, which pipeline a push of it would make. */
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { IncludedFile, IncludeLoader, KnownVariable, PlanContext, PlannedJob } from '../../../ci/plan.ts'
import { type Config, parseConfig, planFor, type YamlMap } from '../../../ci/planning/planning.ts'
import { includeLoader, pathsOf, type Source } from '../includes/includes.ts'

export interface Linted {
  errors: string[]
  warnings: string[]
  /** Null for a file that can't be read. */
  merged: YamlMap | null
  includes: IncludedFile[]
  jobs: PlannedJob[]
}

/** What a push would be simulated for; without, every job of the file is listed, whatever its rules say. */
export interface DryRun {
  ref: string
  tag: boolean
}

const noText: Linted = { errors: ['Please provide content of .gitlab-ci.yml'], warnings: [], merged: null, includes: [], jobs: [] }

const nowhere: PlanContext = {
  source: 'push',
  ref: 'main',
  ref_kind: 'branch',
  project_path: '',
  predefined: [],
  variablesFor: () => [],
  changedPaths: async () => null,
  files: async () => null,
}

const loadsNothing: IncludeLoader = async () => ({ error: 'Only a project can have includes: check the file there' })

/** A text alone, without a project that it could include files of. */
export function lintText(text: string): Promise<Linted> {
  return lint(text, loadsNothing, nowhere, false)
}

/** A text as the file of a project at a commit. */
export function lintIn(app: App, source: Source, viewer: Viewer, text: string | null, dryRun: DryRun | null): Promise<Linted> {
  return lint(text ?? '', includeLoader(app, source, viewer), contextOf(source, dryRun), dryRun !== null)
}

async function lint(text: string, load: IncludeLoader, context: PlanContext, isDryRun: boolean): Promise<Linted> {
  if (text.trim() === '') return noText
  const parsed = await parseConfig(text, load, context)
  if ('errors' in parsed) return { ...parsed, merged: null, jobs: [] }
  const { config, warnings, includes } = parsed
  const planned = await planFor(isDryRun ? config : withoutRules(config), context)
  const found = { warnings, merged: config.merged, includes }
  if (planned.outcome === 'planned') return { ...found, errors: [], jobs: planned.plan.jobs }
  if (!isDryRun && planned.outcome !== 'invalid') return { ...found, errors: [], jobs: [] }
  return { ...found, errors: planned.outcome === 'invalid' ? planned.errors : [planned.message], jobs: [] }
}

/** What the file can make at the most. */
function withoutRules(config: Config): Config {
  const jobs = config.jobs.map((job) => ({ ...job, rules: null, only: null, except: null }))
  return { ...config, jobs, workflow: { ...config.workflow, rules: null } }
}

function contextOf({ project, repo, commit }: Source, dryRun: DryRun | null): PlanContext {
  const ref = dryRun?.ref ?? project.default_branch ?? 'main'
  const named: Record<string, string> = {
    CI: 'true',
    CI_PIPELINE_SOURCE: 'push',
    CI_PROJECT_ID: String(project.id),
    CI_PROJECT_NAME: project.path,
    CI_PROJECT_PATH: project.full_path,
    CI_PROJECT_VISIBILITY: project.visibility,
    CI_DEFAULT_BRANCH: project.default_branch ?? '',
    CI_COMMIT_SHA: commit,
    CI_COMMIT_SHORT_SHA: commit.slice(0, 8),
    CI_COMMIT_REF_NAME: ref,
    ...(dryRun?.tag ? { CI_COMMIT_TAG: ref } : { CI_COMMIT_BRANCH: ref }),
  }
  const predefined = Object.entries(named).map(([key, value]): KnownVariable => ({ key, value, raw: true, file: false }))
  return {
    ...nowhere,
    ref,
    ref_kind: dryRun?.tag ? 'tag' : 'branch',
    project_path: project.full_path,
    predefined,
    files: () => pathsOf(repo, commit),
  }
}
