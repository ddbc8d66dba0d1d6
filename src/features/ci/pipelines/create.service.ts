/** Creates pipelines: reads the file of the commit, plans, and inserts all rows in one transaction. */
import { mayUse } from '../../../access/features.ts'
import { findProject } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import { mayAct } from '../../../access/states.ts'
import type { App } from '../../../app.ts'
import type { IncludeEntry, Plan } from '../../../ci/plan.ts'
import { skipsPipeline } from '../../../ci/planning/planning.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Pipeline } from '../../../db/tables.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { userKey } from '../../../limits/callers.ts'
import {
  isProtectedBranch,
  isProtectedTag,
  mayCreateTag,
  mayMergeInto,
  mayPushTo,
  protectionOf,
} from '../../repository/protected-refs/protected-refs.ts'
import { isFrozen } from '../freeze-periods/freeze-periods.ts'
import { fileAt, includeLoader } from '../includes/includes.ts'
import { planFile } from '../planner/planner.ts'
import { sourcePathOf } from '../predefined/predefined.ts'
import { loadScopedVariables } from '../variables/variables.ts'
import { contextOf, lookUpsIn } from './context.ts'
import { insertFailed, insertPlanned, insertSkipped } from './insert.ts'
import type { CreatedPipeline, PipelineRequest } from './request.ts'

/**
 * Creates a pipeline and starts its first jobs, in one transaction.
 * @returns why there is none: the user may not or has had too many, the commit has no file, its rules want none, or it has errors and these aren't saved
 */
export async function createPipeline(app: App, request: PipelineRequest): Promise<CreatedPipeline> {
  try {
    return await createWithin(app, request)
  } catch (error) {
    if (error instanceof Failure && error.code === 'too_many') return { errors: [error.message] }
    throw error
  }
}

async function createWithin(app: App, request: PipelineRequest): Promise<CreatedPipeline> {
  const permission = await permissionOf(app, request)
  if ('refusal' in permission) return { errors: [permission.refusal] }
  const repo = app.git.open(request.project.id)
  if (!(await resolveCommit(repo, request.sha))) return { errors: ['Commit not found'] }
  const commit = await readCommit(repo, request.sha)
  const { is_protected } = permission
  const place = { ...request, is_protected, committed_at: commit.committer.date }
  const { source_sha } = request
  if (isSkipped(request, source_sha ? await readCommit(repo, source_sha) : commit))
    return { pipeline: await inTransaction(app.db, (tx) => insertSkipped(tx, app, place)) }
  const source = request.child?.include ?? (await fileOf(app, request))
  if (source === null) return { errors: ['Missing .gitlab-ci.yml file'] }
  const planned = await planOf(app, request, { commit, is_protected }, source)
  if ('plan' in planned) return { pipeline: await inTransaction(app.db, (tx) => insertPlanned(tx, app, place, planned.plan)) }
  if (!planned.wrong || request.save_on_errors !== true) return { errors: planned.errors }
  return { pipeline: await inTransaction(app.db, (tx): Promise<Pipeline> => insertFailed(tx, app, place, planned.errors)) }
}

const denied = 'Insufficient permissions to create a new pipeline'

/** Whether the user may currently run pipelines on the ref, and whether the ref is protected. */
async function permissionOf(
  app: App,
  { project, user, ref, ref_kind }: PipelineRequest,
): Promise<{ refusal: string } | { is_protected: boolean }> {
  if (!mayAct(user)) return { refusal: denied }
  const access = await findProject(app.db, String(project.id), user).catch(nullIfMissing)
  if (!access || project.archived || !may('run_pipelines', access.level)) return { refusal: denied }
  if (!mayUse('builds', access)) return { refusal: 'Pipelines are disabled!' }
  const protection = await protectionOf(app.db, project.id)
  if (ref_kind === 'merge_request') return { is_protected: false }
  const isTag = ref_kind === 'tag'
  const is_protected = isTag ? isProtectedTag(protection, ref) : isProtectedBranch(protection, ref)
  const { level } = access
  const isAllowed = isTag ? mayCreateTag(protection, level, ref) : mayPushTo(protection, level, ref) || mayMergeInto(protection, level, ref)
  return is_protected && !isAllowed ? { refusal: `Insufficient permissions for protected ref '${ref}'` } : { is_protected }
}

/** Only pipelines of pushes and of what follows from them can be skipped; requested ones always run. */
function isSkipped({ source, skips = false, merge_event }: PipelineRequest, { message }: Commit): boolean {
  // Somebody's words must not keep the result of a merge from being tested.
  if (merge_event === 'merge_train') return false
  return (source === 'push' || source === 'merge_request_event') && (skips || skipsPipeline(message))
}

/** The text of the file, or its location if the project keeps it elsewhere (`path@group/project`, or a URL). */
async function fileOf(app: App, { project, sha }: PipelineRequest): Promise<string | IncludeEntry[] | null> {
  const path = project.ci_config_path || '.gitlab-ci.yml'
  if (/^https?:\/\//.test(path)) return [{ kind: 'remote', url: path }]
  const [, file, elsewhere, ref = null] = /^([^@]+)@([^:]+)(?::(.+))?$/.exec(path) ?? []
  if (file && elsewhere) return [{ kind: 'project', project: elsewhere, ref, file }]
  return fileAt(app.git.open(project.id), sha, path)
}

/** `wrong`: the file has errors, which the saved pipeline shows. */
type PlannedPipeline = { plan: Plan } | { errors: string[]; wrong: boolean }

async function planOf(
  app: App,
  request: PipelineRequest,
  { commit, is_protected }: { commit: Commit; is_protected: boolean },
  source: string | IncludeEntry[],
): Promise<PlannedPipeline> {
  const { project, sha, user, merge_request } = request
  const repo = app.git.open(project.id)
  const stored = await loadScopedVariables(app.db, app.secrets, { project, protected: is_protected })
  const source_path = merge_request ? await sourcePathOf(app.db, merge_request) : null
  const is_frozen = await isFrozen(app.db, project.id)
  const context = contextOf(app, { request, commit, is_protected, stored, source_path, is_frozen })
  const load = request.child?.load ?? includeLoader(app, { project, repo, commit: sha }, user)
  const inputs = request.inputs ?? {}
  const job = { source, context, inputs, ignores_rules: false, with_yaml: false }
  const read = await planFile(userKey(user), job, { ...lookUpsIn(repo, request), load })
  if ('errors' in read) return { errors: read.errors, wrong: true }
  const { planned } = read
  if (planned.outcome === 'planned') return { plan: planned.plan }
  if (planned.outcome === 'invalid') return { errors: planned.errors, wrong: true }
  return { errors: [planned.message], wrong: false }
}
