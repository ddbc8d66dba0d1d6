/** Checks a CI file: whether it is valid and, with a ref, which pipeline a push would create. */
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { IncludedFile, KnownVariable, PlannedJob } from '../../../ci/plan.ts'
import type { Config } from '../../../config.ts'
import { callerOf, userKey } from '../../../limits/callers.ts'
import { createNetworkRate } from '../../../limits/network-rate.ts'
import { includeLoader, pathsOf, type Source } from '../includes/includes.ts'
import { type LookUps, type PlannedFor, planFile } from '../planner/planner.ts'
import { variablesOfPlace } from '../predefined/predefined.ts'

export interface Linted {
  errors: string[]
  warnings: string[]
  /** Null for an unparsable file. */
  merged_yaml: string | null
  includes: IncludedFile[]
  jobs: PlannedJob[]
}

/** The push to simulate; without one, every job of the file is listed, whatever its rules. */
export interface DryRun {
  ref: string
  tag: boolean
}

const noText: Linted = { errors: ['Please provide content of .gitlab-ci.yml'], warnings: [], merged_yaml: null, includes: [], jobs: [] }

const nowhere: PlannedFor = {
  source: 'push',
  ref: 'main',
  ref_kind: 'branch',
  project_path: '',
  predefined: [],
  stored: [],
  given: [],
}

const findsNothing: LookUps = {
  load: async () => ({ error: 'Only a project can have includes: check the file there' }),
  changedPaths: async () => null,
  files: async () => null,
}

const ofNetwork = createNetworkRate({ max: 30, window_ms: 60_000 })

/**
 * Checks a text without a project whose files it could include. Throws 429 if too many texts come from the network of an anonymous caller.
 */
export function lintText({ user, ip }: { user: { id: number } | null; ip: string }, text: string): Promise<Linted> {
  if (!user) ofNetwork.count(ip)
  return lint(callerOf(user, ip), text, nowhere, findsNothing, false)
}

/** The place of a text that replaces the file of a project; `commit` is null if nothing was pushed yet. */
export type LintedPlace = Omit<Source, 'commit'> & { commit: string | null }

/** Checks a text as the file of a project at a commit. */
export function lintIn(app: App, place: LintedPlace, viewer: Viewer, text: string | null, dryRun: DryRun | null): Promise<Linted> {
  const { project, repo, commit } = place
  const load = includeLoader(app, commit === null ? null : { project, repo, commit }, viewer)
  const lookUps = { ...findsNothing, load, files: async () => (commit === null ? [] : pathsOf(repo, commit)) }
  // All anonymous callers share one queue, so they don't delay signed-in users.
  const whose = viewer ? userKey(viewer) : `readers of project ${project.id}`
  return lint(whose, text ?? '', contextOf(app.config, place, dryRun), lookUps, dryRun !== null)
}

async function lint(whose: string, text: string, context: PlannedFor, lookUps: LookUps, isDryRun: boolean): Promise<Linted> {
  if (text.trim() === '') return noText
  const read = await planFile(whose, { source: text, context, ignores_rules: !isDryRun, with_yaml: true }, lookUps)
  if ('errors' in read) return { ...read, merged_yaml: null, jobs: [] }
  const { planned, ...found } = read
  if (planned.outcome === 'planned') return { ...found, errors: [], jobs: planned.plan.jobs }
  if (!isDryRun && planned.outcome !== 'invalid') return { ...found, errors: [], jobs: [] }
  return { ...found, errors: planned.outcome === 'invalid' ? planned.errors : [planned.message], jobs: [] }
}

function contextOf(config: Config, { project, commit }: LintedPlace, dryRun: DryRun | null): PlannedFor {
  const ref = dryRun?.ref ?? project.default_branch ?? 'main'
  const named: Record<string, string> = {
    ...variablesOfPlace(config, project),
    CI_PIPELINE_SOURCE: 'push',
    ...(commit !== null && { CI_COMMIT_SHA: commit, CI_COMMIT_SHORT_SHA: commit.slice(0, 8) }),
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
  }
}
