/** Creating commits (spec 4.4). */
import { Type } from 'typebox'
import { projectUrl } from '../../../addresses/links.ts'
import { Failure } from '../../../failure.ts'
import { type CommitStats, readStats } from '../../../git/history/history.ts'
import type { Commit as GitCommit } from '../../../git/objects/parse.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { Commit, CommitDetail } from '../commits/commits.schema.ts'
import { presentCommit, presentCommitDetail } from '../commits/commits.ts'
import { pushable } from '../pushes/pushes.ts'
import { actions, commitParameters, forcing, maxBody_bytes, submodulePointer } from './commit-actions.schema.ts'
import { applyCommit, commitActions, commitSubmodule } from './commit-actions.service.ts'

/** The commit exists even if its lines can't be counted, because a tree has too many entries. */
async function statsIfCountable(repo: Repo, commit: GitCommit): Promise<CommitStats | undefined> {
  try {
    return (await readStats(repo, [commit])).get(commit.oid)
  } catch (error) {
    if (error instanceof Failure && error.code === 'unprocessable') return undefined
    throw error
  }
}

const stats = Type.Boolean({ default: true, description: 'Whether the reply counts lines' })
const toBranch = { branch: Type.String({ description: 'Branch the new commit goes to' }) }

export const commitWrites = [
  endpoint('POST /projects/:id/repository/commits', {
    summary: 'Create a commit with changes to several files',
    access: pushable(),
    body: { ...commitParameters, ...forcing, actions, stats },
    maxBody_bytes,
    reply: CommitDetail,
    fails: ['unprocessable'],
    async handle({ app, repo, actor, project, body }) {
      const commit = await commitActions(app, actor, body, body.actions)
      const stats = body.stats ? await statsIfCountable(repo, commit) : undefined
      return presentCommitDetail(commit, { stats, last_pipeline: null, project_id: project.id, project: projectUrl(app.config, project) })
    },
  }),
  endpoint('POST /projects/:id/repository/commits/:sha/cherry_pick', {
    summary: 'Cherry-pick a commit',
    access: pushable(),
    body: toBranch,
    reply: Commit,
    fails: ['unprocessable'],
    async handle({ app, actor, project, params, body }) {
      const commit = await applyCommit(app, actor, 'cherry-pick', params.sha, body.branch)
      return presentCommit(commit, projectUrl(app.config, project))
    },
  }),
  endpoint('POST /projects/:id/repository/commits/:sha/revert', {
    summary: 'Revert a commit',
    access: pushable(),
    body: toBranch,
    reply: Commit,
    fails: ['unprocessable'],
    async handle({ app, actor, project, params, body }) {
      const commit = await applyCommit(app, actor, 'revert', params.sha, body.branch)
      return presentCommit(commit, projectUrl(app.config, project))
    },
  }),
  endpoint('PUT /projects/:id/repository/submodules/:submodule', {
    summary: 'Point a submodule to another commit',
    access: pushable(),
    body: submodulePointer,
    reply: CommitDetail,
    async handle({ app, repo, actor, project, params, body: { branch, commit_sha, commit_message } }) {
      const message = commit_message || `Update submodule ${params.submodule} with oid ${commit_sha}`
      const commit = await commitSubmodule(app, actor, { branch, commit_message: message }, params.submodule, commit_sha)
      const stats = await statsIfCountable(repo, commit)
      return presentCommitDetail(commit, { stats, last_pipeline: null, project_id: project.id, project: projectUrl(app.config, project) })
    },
  }),
]
