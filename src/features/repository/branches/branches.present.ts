/** A branch as JSON. */
import { type Static, Type } from 'typebox'
import { canPush, type ProjectAccess } from '../../../access/find.ts'
import { projectUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import { mergedInto } from '../../../git/history/ancestry.ts'
import { readCommits } from '../../../git/objects/read.ts'
import type { Ref } from '../../../git/refs/refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { resource } from '../../../http/parameters/schema.ts'
import { Commit } from '../commits/commits.schema.ts'
import { presentCommit } from '../commits/commits.ts'
import { branchProtectionOf, developersMay, isProtectedBranch, mayPushTo } from '../protected-refs/protected-refs.ts'

export const Branch = resource('Branch', {
  name: Type.String(),
  commit: Commit,
  merged: Type.Boolean({ description: 'Whether the branch is merged into the default branch' }),
  protected: Type.Boolean(),
  developers_can_push: Type.Boolean(),
  developers_can_merge: Type.Boolean(),
  can_push: Type.Boolean({ description: 'Whether the current user may push' }),
  default: Type.Boolean(),
})

/** One process to determine which are merged, none for cached commits; one statement for the protection. */
export async function presentBranches(app: App, repo: Repo, access: ProjectAccess, refs: Ref[]): Promise<Array<Static<typeof Branch>>> {
  const oids = refs.map(({ oid }) => oid)
  const [merged, commits, protection] = await Promise.all([
    mergedInto(repo, access.project.default_branch, refs).then((branches) => new Set(branches)),
    readCommits(repo, oids),
    branchProtectionOf(app.db, access.project.id),
  ])
  const pushing = canPush(access)
  const url = projectUrl(app.config, access.project)
  return refs.map((ref, index) => {
    const { name } = ref
    const developers = developersMay(protection, name)
    return {
      name,
      commit: presentCommit(commits[index] as (typeof commits)[number], url),
      merged: merged.has(ref),
      protected: isProtectedBranch(protection, name),
      developers_can_push: developers.push,
      developers_can_merge: developers.merge,
      can_push: pushing && mayPushTo(protection, access.level, name),
      default: name === access.project.default_branch,
    }
  })
}
