/** What planning a pipeline has to know: variables, changed paths, files. Looked up where a rule asks for it. */
import type { App } from '../../../app.ts'
import type { KnownVariable, PlanContext } from '../../../ci/plan.ts'
import { visitChanges } from '../../../git/diff/tree-changes.ts'
import { mergeBase } from '../../../git/history/merge-base.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { pathsOf } from '../includes/includes.ts'
import { predefinedVariables } from '../predefined/predefined.ts'
import type { PipelineRequest } from './request.ts'

/** Beyond, everything counts as changed. */
const maxPaths = 100_000

export interface Surroundings {
  request: PipelineRequest
  repo: Repo
  commit: Commit
  is_protected: boolean
  /** Of instance, groups and project, as jobs in this environment see them. */
  stored: (environment: string | null) => KnownVariable[]
}

export function contextOf(app: App, { request, repo, commit, is_protected, stored }: Surroundings): PlanContext {
  const { project, ref, ref_kind, sha, before_sha = null, source, user, merge_request = null } = request
  const given = (request.variables ?? []).map(({ key, value, kind, raw }): KnownVariable => ({ key, value, raw, file: kind === 'file' }))
  const pipeline = { ref, sha, before_sha, tag: ref_kind === 'tag', protected: is_protected, source }
  return {
    source,
    ref,
    ref_kind,
    project_path: project.full_path,
    predefined: predefinedVariables(app.config, { project, pipeline, commit, user, merge_request }),
    variablesFor: (environment) => [...stored(environment), ...given],
    changedPaths: (compareTo) => changedPaths(repo, request, compareTo),
    files: () => pathsOf(repo, sha),
  }
}

/** Null where there is nothing to compare with: everything counts as changed. */
async function changedPaths(repo: Repo, request: PipelineRequest, compareTo: string | null): Promise<string[] | null> {
  const from = await comparedWith(repo, request, compareTo)
  if (from === null) return null
  const paths: string[] = []
  try {
    await visitChanges(repo, from, request.sha, ({ path }) => {
      if (paths.length <= maxPaths) paths.push(path)
    })
  } catch {
    // The commit before a forced push may be gone; of a change too large to list nobody knows.
    return null
  }
  return paths.length > maxPaths ? null : paths
}

async function comparedWith(repo: Repo, { sha, before_sha = null, merge_request, source }: PipelineRequest, compareTo: string | null) {
  const target = compareTo ?? (merge_request ? `refs/heads/${merge_request.target_branch}` : null)
  if (target !== null) {
    const tip = await resolveCommit(repo, target)
    return tip === null ? null : mergeBase(repo, [tip, sha])
  }
  return source === 'push' ? before_sha : null
}
