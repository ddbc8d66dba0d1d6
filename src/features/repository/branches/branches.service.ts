/** Finding, creating and deleting branches. */
import { mayUse } from '../../../access/features.ts'
import type { App } from '../../../app.ts'
import { Failure, forbidden, invalid, notFound } from '../../../failure.ts'
import { mergedInto } from '../../../git/history/ancestry.ts'
import { noObject } from '../../../git/objects/object-id.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { readHead } from '../../../git/refs/head.ts'
import { isBranchName, isRefName } from '../../../git/refs/names.ts'
import { findRef, listRefs, type Ref } from '../../../git/refs/refs.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { countedFor, showingMergeRequests } from '../../../git/repository/handles.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type FileChange, writeCommit } from '../../../git/write/fast-import.ts'
import { userKey } from '../../../limits/callers.ts'
import { branchProtectionOf, isProtectedBranch } from '../protected-refs/protected-refs.ts'
import { changeRefs, type Pusher } from '../pushes/pushes.ts'

/** Throws 400 for an invalid name, 404 if there is no such branch. */
export async function getBranch(repo: Repo, name: string): Promise<Ref> {
  if (!isRefName(name)) throw invalid('The branch refname is invalid')
  const branch = await findRef(repo, 'heads', name)
  if (!branch) throw notFound('Branch')
  return branch
}

/**
 * Creates a branch at `revision`. An empty repository first gets a default branch with an empty README, from which the branch may start.
 * Throws 400 for a name that is taken or invalid, and for an unknown revision.
 */
export async function createBranch(app: App, pusher: Pusher, name: string, revision: string): Promise<Ref> {
  const repo = showingMergeRequests(app.git.open(pusher.project.id), mayUse('merge_requests', pusher))
  if (!isBranchName(name)) throw invalid('Branch name is invalid')
  await assertNotTaken(repo, name)
  const isFirst = pusher.project.default_branch === null && revision === ((await readHead(repo)) ?? app.config.default_branch)
  if (isFirst && name.startsWith(`${revision}/`)) throw besideAnother()
  const commit = isFirst ? await writeReadme(repo, pusher) : await resolveCommit(repo, revision)
  if (!commit) throw invalid('Invalid reference name')
  const names = isFirst && revision !== name ? [revision, name] : [name]
  try {
    await changeRefs(
      app,
      pusher,
      names.map((name) => ({ ref: `refs/heads/${name}`, before: noObject, after: commit })),
    )
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'ref_moved')) throw error
    await assertNotTaken(repo, name)
    throw besideAnother(error)
  }
  const { committer } = await readCommit(repo, commit)
  return { name, oid: commit, commit, committed_at: Date.parse(committer.date) / 1000 }
}

function besideAnother(cause?: unknown): Failure {
  return invalid('Branch name is that of a folder of branches, or begins with the name of a branch', cause)
}

/** The first commit of a repository; no ref points to it yet. */
function writeReadme(repo: Repo, { user }: Pusher): Promise<string> {
  const readme: FileChange = { kind: 'write', path: 'README.md', mode: '100644', content: () => Buffer.alloc(0) }
  return writeCommit(repo, { parents: [], author: user, committer: user, message: 'Add README.md', changes: [readme] })
}

async function assertNotTaken(repo: Repo, name: string): Promise<void> {
  if (await findRef(repo, 'heads', name)) throw invalid('Branch already exists')
}

/** Deletes a branch. Throws `ref_moved` if it has moved meanwhile. */
export async function deleteBranch(app: App, pusher: Pusher, { name, oid }: Ref): Promise<void> {
  await changeRefs(app, pusher, [{ ref: `refs/heads/${name}`, before: oid, after: noObject }])
}

/** Deletes every unprotected branch that is merged into the default branch: all or none. Returns how many. */
export async function deleteMergedBranches(app: App, pusher: Pusher): Promise<number> {
  const { project } = pusher
  if (project.archived) throw forbidden()
  const repo = countedFor(app.git.open(project.id), userKey(pusher.user))
  const protection = await branchProtectionOf(app.db, project.id)
  const merged = await mergedInto(repo, project.default_branch, await listRefs(repo, 'heads'))
  // A name that isn't UTF-8 can't be passed to git; such a branch must not prevent the deletion of the others.
  const unprotected = merged.filter(({ name }) => !name.includes('\ufffd') && !isProtectedBranch(protection, name))
  if (unprotected.length === 0) return 0
  await changeRefs(
    app,
    pusher,
    unprotected.map(({ name, oid }) => ({ ref: `refs/heads/${name}`, before: oid, after: noObject })),
  )
  return unprotected.length
}
