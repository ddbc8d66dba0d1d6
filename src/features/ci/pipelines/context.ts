/** The input of planning a pipeline: variables, changed paths, files. Looked up only if a rule needs it. */
import type { App } from '../../../app.ts'
import type { KnownVariable, ScopedVariable } from '../../../ci/plan.ts'
import { visitChanges } from '../../../git/diff/tree-changes.ts'
import { mergeBase } from '../../../git/history/merge-base.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { pathsOf } from '../includes/includes.ts'
import type { LookUps, PlannedFor } from '../planner/planner.ts'
import { mergeEventRef, predefinedVariables } from '../predefined/predefined.ts'
import type { PipelineRequest } from './request.ts'

/** Beyond this, everything counts as changed. */
const maxPaths = 100_000
const maxPaths_chars = 16_000_000

export interface Surroundings {
  request: PipelineRequest
  commit: Commit
  is_protected: boolean
  /** Stored variables of instance, groups and project. */
  stored: ScopedVariable[]
  /** Path of the source project of the merge request, if there is one. */
  source_path: string | null
  is_frozen: boolean
}

export function contextOf(app: App, { request, commit, is_protected, stored, source_path, is_frozen }: Surroundings): PlannedFor {
  const { project, ref, ref_kind, sha, before_sha = null, source, user, merge_request = null } = request
  const given = (request.variables ?? []).map(({ key, value, kind, raw }): KnownVariable => ({ key, value, raw, file: kind === 'file' }))
  const shown = merge_request && ref_kind === 'merge_request' ? mergeEventRef(merge_request.iid, request.merge_event) : ref
  const pipeline = {
    ref: shown,
    sha,
    source_sha: request.source_sha ?? null,
    before_sha,
    tag: ref_kind === 'tag',
    protected: is_protected,
    source,
  }
  return {
    source,
    ref,
    ref_kind,
    project_path: project.full_path,
    predefined: predefinedVariables(app.config, { project, pipeline, commit, user, merge_request, source_path, is_frozen }),
    stored,
    given,
  }
}

/** Lookups in the repository for rules of the file. */
export function lookUpsIn(repo: Repo, request: PipelineRequest): Pick<LookUps, 'changedPaths' | 'files'> {
  return { changedPaths: (compareTo) => changedPaths(repo, request, compareTo), files: () => pathsOf(repo, request.sha) }
}

/** Null if there is nothing to compare with: everything counts as changed. */
async function changedPaths(repo: Repo, request: PipelineRequest, compareTo: string | null): Promise<string[] | null> {
  const from = await comparedWith(repo, request, compareTo)
  if (from === null) return null
  const paths: string[] = []
  let left = maxPaths_chars
  try {
    await visitChanges(repo, from, request.sha, ({ path }) => {
      left -= path.length
      if (paths.length <= maxPaths && left >= 0) paths.push(path)
    })
  } catch {
    // The commit before a force push may be gone, and a change may be too large to list.
    return null
  }
  return paths.length > maxPaths || left < 0 ? null : paths
}

async function comparedWith(repo: Repo, { sha, before_sha = null, merge_request, source }: PipelineRequest, compareTo: string | null) {
  const target = compareTo ?? (merge_request ? `refs/heads/${merge_request.target_branch}` : null)
  if (target !== null) {
    const tip = await resolveCommit(repo, target)
    return tip === null ? null : mergeBase(repo, [tip, sha])
  }
  return source === 'push' ? before_sha : null
}
