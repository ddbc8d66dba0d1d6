/** Code owners of a project: its CODEOWNERS file, which paths of a change it names, and direct pushes that it refuses. */
import { changedPathNames } from '../../../git/diff/path-names.ts'
import { readBlob } from '../../../git/objects/blobs.ts'
import { findEntry, objectInfo, readCommit } from '../../../git/objects/read.ts'
import { branchOf, isCreation, isDeletion, type RefChange } from '../../../git/refs/ref-updates.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { cached } from '../../../git/repository/object-cache.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { BranchProtection } from '../protected-refs/protected-refs.ts'
import { type OwnedBy, ownersFinder, TooMuchToCompare } from './match.ts'
import { type CodeOwners, codeOwnersPaths, maxCodeOwners_bytes, type OwnerSection, parseCodeOwners } from './parse.ts'

export interface FoundOwners extends CodeOwners {
  path: string
}

export function isOwnersFile(path: string): boolean {
  return (codeOwnersPaths as readonly string[]).includes(path)
}

/** The file of a commit; null if it has none. No process besides the object reader, and none once it is cached. */
export async function codeOwnersAt(repo: Repo, commit: string): Promise<FoundOwners | null> {
  const { tree } = await readCommit(repo, commit)
  for (const path of codeOwnersPaths) {
    const entry = await findEntry(repo, tree, path)
    if (entry?.type === 'blob') return { path, ...(await parsedBlob(repo, entry.oid)) }
  }
  return null
}

function parsedBlob(repo: Repo, oid: string): Promise<CodeOwners> {
  return cached(
    repo.git.cache,
    `${repo.dir} owners ${oid}`,
    async () => {
      const info = await objectInfo(repo, oid)
      if (info && info.size > maxCodeOwners_bytes) return { sections: [], errors: [{ line: 1, fault: 'file_too_large' as const }] }
      return parseCodeOwners((await readBlob(repo, oid))?.data.toString('utf8') ?? '')
    },
    ({ sections }) => sections.reduce((sum, section) => sum + sizeOf(section), 300),
  )
}

/** Roughly, in bytes, with the maps of `match.ts`. The entries of a section may have the same owners, which are counted once. */
function sizeOf({ entries, exclusions }: OwnerSection): number {
  const owners = new Set(entries.map((entry) => entry.owners))
  return 3_000 + 500 * (entries.length + exclusions.length) + [...owners].reduce((sum, { length }) => sum + 60 * length, 0)
}

/** Whether changes of the branch need the approval of code owners: if one of the rules that protect it says so. */
export function needsCodeOwners({ branches }: BranchProtection, branch: string): boolean {
  return branches.matching(branch).some(({ code_owner_approval_required }) => code_owner_approval_required)
}

/** Paths of both sides that differ between two commits. One process, cached. */
export function changedPaths(repo: Repo, from: string | null, to: string): Promise<string[]> {
  return cached(
    repo.git.cache,
    `${repo.dir} paths ${from} ${to}`,
    () => changedPathNames(repo, from, to),
    (paths) => paths.reduce((sum, path) => sum + 50 + 2 * path.length, 100),
  )
}

/** Every entry that owns one of the paths, with the first path. Throws `TooMuchToCompare`. */
export function ownedAmong(owners: CodeOwners, paths: readonly string[]): Array<OwnedBy & { path: string }> {
  const finder = ownersFinder(owners)
  const found = new Map<OwnedBy['entry'], OwnedBy & { path: string }>()
  for (const path of paths)
    for (const owned of finder.ownersOf(path)) if (!found.has(owned.entry)) found.set(owned.entry, { ...owned, path })
  return [...found.values()]
}

interface Pushing {
  repo: Repo
  protection: BranchProtection
  defaultBranch: string | null
  quarantine: string
}

/** Why direct pushes are denied: what owners must approve goes to such a branch by a merge request alone. Two processes for each branch. */
export async function refusalOfOwned(
  { repo, protection, defaultBranch, quarantine }: Pushing,
  changes: RefChange[],
): Promise<string | null> {
  for (const change of changes) {
    const branch = branchOf(change.ref)
    if (branch === null || isDeletion(change) || !needsCodeOwners(protection, branch)) continue
    const base = await baseOf(repo, change, defaultBranch)
    const owners = base === null ? null : await codeOwnersAt(repo, base)
    if (base === null || owners === null) continue
    const path = firstOwned(owners, await changedPathNames(repo, base, change.after, quarantine))
    if (path !== null) return `Code owners must approve changes of ${path} in the branch ${branch}: propose them by a merge request.`
  }
  return null
}

/** The commit to compare a push with: the branch's tip before it or, for a new branch, the default branch. */
async function baseOf(repo: Repo, change: RefChange, defaultBranch: string | null): Promise<string | null> {
  if (!isCreation(change)) return change.before
  return defaultBranch === null ? null : resolveCommit(repo, `refs/heads/${defaultBranch}`)
}

function firstOwned(owners: CodeOwners, paths: readonly string[]): string | null {
  try {
    return ownedAmong(owners, paths).find(({ section }) => !section.isOptional)?.path ?? null
  } catch (error) {
    if (error instanceof TooMuchToCompare) return paths[0] ?? null
    throw error
  }
}
