/** Resolves a revision that a caller names (a branch, a tag or an id) to the id of its commit. */
import type { LocatedProject } from '../../access/find.ts'
import { notFound } from '../../failure.ts'
import { resolveCommit } from '../../git/refs/resolve.ts'
import type { Repo } from '../../git/repository/repository.ts'
import type { ProjectGranted } from '../../http/declare/rules.ts'
import { nested } from '../../http/declare/within.ts'
import { nameInPath } from '../../http/parameters/schema.ts'

/** The id of the commit that a branch, tag or id names. Throws `404 Commit Not Found`. */
async function requireCommit(repo: Repo, revision: string): Promise<string> {
  const oid = await resolveCommit(repo, revision)
  if (!oid) throw notFound('Commit')
  return oid
}

/** As `commitOrTip`. Throws `404 <missing> Not Found`. */
export async function requireCommitOrTip(
  repo: Repo,
  project: LocatedProject,
  revision: string | undefined,
  missing: string,
): Promise<string> {
  const oid = await commitOrTip(repo, project, revision)
  if (!oid) throw notFound(missing)
  return oid
}

/** The id of the commit that the revision names; without one, the tip of the default branch. Null if there is none. */
export async function commitOrTip(repo: Repo, project: LocatedProject, revision: string | undefined): Promise<string | null> {
  const wanted = revision || (project.default_branch && `refs/heads/${project.default_branch}`)
  return wanted ? resolveCommit(repo, wanted) : null
}

/** Grants the commit in `:sha`, as its id. */
export const commit = nested({ sha: nameInPath('Commit, branch or tag') }, async ({ repo }: ProjectGranted, { sha }) => ({
  commit: await requireCommit(repo, sha),
}))
