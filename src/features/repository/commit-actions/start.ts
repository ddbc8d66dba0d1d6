/** The parent of a new commit: the tip of its branch, of another branch, or any commit, here or in the source of the fork. */
import type { Static } from 'typebox'
import { canDownload, findProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { badParameter, forbidden, invalid, notFound } from '../../../failure.ts'
import { isObjectId, noObject } from '../../../git/objects/object-id.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { isBranchName } from '../../../git/refs/names.ts'
import { findRef } from '../../../git/refs/refs.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { fetchCommit } from '../../../git/transfer/fetch-commit.ts'
import type { Pusher } from '../pushes/pushes.ts'
import type { CommitParameters } from './commit-actions.schema.ts'

export type CommitRequest = Static<typeof CommitParameters>

interface Start {
  /** Null in an empty repository. */
  parent: Commit | null
  /** The present tip of the branch; all zeros for a new one. */
  before: string
  /** Whether the branch may lose commits. */
  is_forced: boolean
}

/** Throws 400 if there is no such start, or the branch already exists; 403 for a project that this one is no fork of. */
export async function startOf(app: App, repo: Repo, pusher: Pusher, request: CommitRequest): Promise<Start> {
  const { branch, start_branch, start_sha, start_project, force = false } = request
  if (start_branch && start_sha) throw badParameter('start_branch, start_sha are mutually exclusive')
  if (start_project && !start_branch && !start_sha) throw badParameter('start_project needs start_branch or start_sha')
  const isElsewhere = Boolean(start_sha || start_project || (start_branch && start_branch !== branch))
  // Looked up once: if the tip were read twice, commits pushed in between could be lost.
  const there = pusher.project.default_branch === null ? null : await findRef(repo, 'heads', branch)
  const parent = isElsewhere ? await elsewhere(app, repo, pusher, request) : await atTip(repo, pusher, there)
  if (there && (force || !isElsewhere)) return { parent, before: there.oid, is_forced: force && isElsewhere }
  if (there) throw invalid(`A branch called '${branch}' already exists. Switch to that branch in order to make changes`)
  if (!isBranchName(branch)) throw invalid(`Something went wrong when we tried to create '${branch}' for you: Branch name is invalid`)
  return { parent, before: noObject, is_forced: false }
}

/** Null in an empty repository. */
async function atTip(repo: Repo, { project }: Pusher, there: { oid: string } | null): Promise<Commit | null> {
  if (there) return readCommit(repo, there.oid)
  if (project.default_branch === null) return null
  throw invalid(noBranch)
}

const noBranch = 'You can only create or edit files when you are on a branch'

async function elsewhere(app: App, repo: Repo, pusher: Pusher, request: CommitRequest): Promise<Commit | null> {
  const { start_branch, start_sha, start_project } = request
  if (start_project) return readCommit(repo, await bringFrom(app, repo, pusher, start_project, request))
  if (start_sha) return readCommit(repo, await commitById(repo, start_sha))
  if (pusher.project.default_branch === null) return null
  return readCommit(repo, await tipOf(repo, start_branch ?? ''))
}

async function commitById(repo: Repo, sha: string): Promise<string> {
  const oid = isObjectId(sha) ? await resolveCommit(repo, sha) : null
  if (!oid) throw invalid('start_sha is not the full id of a commit')
  return oid
}

async function tipOf(repo: Repo, branch: string): Promise<string> {
  const found = await findRef(repo, 'heads', branch)
  if (!found) throw invalid(noBranch)
  return found.oid
}

/** Copies the commit into the repository. The other project must be this one, or its fork source. */
async function bringFrom(app: App, repo: Repo, { user, project }: Pusher, idOrPath: string, request: CommitRequest): Promise<string> {
  const other = await findProject(app.db, idOrPath, user)
  if (!canDownload(other, user)) throw notFound('Project')
  if (other.project.id !== project.id && other.project.id !== project.forked_from_id) throw forbidden('This is not a fork of start_project')
  const source = app.git.open(other.project.id)
  const oid = request.start_sha ? await commitById(source, request.start_sha) : await tipOf(source, request.start_branch ?? '')
  if (source.dir !== repo.dir) await fetchCommit(source, repo, oid)
  return oid
}
