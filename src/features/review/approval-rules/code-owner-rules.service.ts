/** The rules that the CODEOWNERS file of the target branch makes of what a merge request changes. */
import type { App } from '../../../app.ts'
import type { MergeRequest, MergeRequestVersion } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { cached } from '../../../git/repository/object-cache.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import {
  changedPaths,
  codeOwnersAt,
  type FoundOwners,
  needsCodeOwners,
  type OwnedBy,
  ownedAmong,
  TooMuchToCompare,
} from '../../repository/code-owners/code-owners.ts'
import { branchProtectionOf } from '../../repository/protected-refs/protected-refs.ts'
import type { ShownRule } from './approval-rules.queries.ts'
import { namedOwners } from './owners.queries.ts'
import type { ApprovedProject } from './people.queries.ts'

export interface CodeOwnerRule extends ShownRule {
  section: string | null
}

/** Entries of one merge request that count each for itself, and owners of all of them: the entries of a section may share a thousand. */
const maxOwned = 500
const maxOwners = 20_000

/** None unless a rule that protects the target branch requires them. Two processes, cached, and six statements. */
export async function codeOwnerRules(
  app: App,
  project: ApprovedProject,
  merge_request: MergeRequest,
  version: MergeRequestVersion | null,
): Promise<CodeOwnerRule[]> {
  const { project_id, target_branch } = merge_request
  if (!version || !needsCodeOwners(await branchProtectionOf(app.db, project_id), target_branch)) return []
  const target = app.git.open(project_id)
  const { base_oid, head_oid } = version
  const found = await ownedEntries(target, target_branch, { repo: target, base_oid, head_oid })
  if (!found) return []
  const { owners, owned } = found
  // Nobody knows who owns what is too much to compare, so maintainers approve it.
  if (!owned || owned.length > maxOwned || owned.reduce((sum, { entry }) => sum + entry.owners.length, 0) > maxOwners)
    return [ruleOf(merge_request, { id: -1, name: owners.path, approvals_required: 1, section: null, user_ids: [], group_ids: [] })]
  const names = await namedOwners(app.db, project, [...new Set(owned.flatMap(({ entry }) => entry.owners))])
  return owned.map(({ section, entry }) => {
    const people = entry.owners.map((owner) => names.get(owner) ?? { user_ids: [], group_ids: [] })
    return ruleOf(merge_request, {
      id: -entry.line,
      name: entry.pattern,
      approvals_required: section.isOptional ? 0 : section.approvals,
      section: section.name,
      user_ids: [...new Set(people.flatMap(({ user_ids }) => user_ids))],
      group_ids: [...new Set(people.flatMap(({ group_ids }) => group_ids))],
    })
  })
}

/** The change of a merge request or a branch, in the repository that has both commits. */
export interface OwnedChange {
  repo: Repo
  base_oid: string | null
  head_oid: string
}

/**
 * The entries that own what is changed, by the file at the tip of the target; `owned` is null if that is too much to compare. Null without
 * a file. Two processes, cached.
 */
export async function ownedEntries(
  target: Repo,
  target_branch: string,
  { repo, base_oid, head_oid }: OwnedChange,
): Promise<{ owners: FoundOwners; owned: OwnedBy[] | null } | null> {
  const tip = await resolveCommit(target, `refs/heads/${target_branch}`)
  const owners = tip && (await codeOwnersAt(target, tip))
  if (!owners) return null
  const owned = await cached(
    target.git.cache,
    `${repo.dir} owned ${target.dir} ${tip} ${base_oid} ${head_oid}`,
    () => ownedBy(owners, () => changedPaths(repo, base_oid, head_oid)),
    (found) => 100 + 300 * (found?.length ?? 0),
  )
  return { owners, owned }
}

async function ownedBy(owners: FoundOwners, paths: () => Promise<string[]>): Promise<OwnedBy[] | null> {
  try {
    return ownedAmong(owners, await paths())
  } catch (error) {
    const isTooMuch = error instanceof TooMuchToCompare || (error instanceof Failure && ['too_large', 'unprocessable'].includes(error.code))
    if (isTooMuch) return null
    throw error
  }
}

type Own = Pick<CodeOwnerRule, 'id' | 'name' | 'approvals_required' | 'section' | 'user_ids' | 'group_ids'>

function ruleOf({ id: merge_request_id, project_id, created_at }: MergeRequest, own: Own): CodeOwnerRule {
  return {
    ...own,
    project_id,
    merge_request_id,
    group_id: null,
    source_rule_id: null,
    rule_type: 'code_owner',
    applies_to_all_protected_branches: false,
    protected_branch_ids: [],
    created_at,
    updated_at: created_at,
  }
}
