/** Making commits (spec 4.4). */
import { Type } from 'typebox'
import { readStats } from '../../git/history.ts'
import { endpoint } from '../../http/endpoint.ts'
import { project } from '../../http/rules.ts'
import { actions, commitParameters, mostBody_bytes } from './changes.schema.ts'
import { commitActions, repeatCommit } from './changes.service.ts'
import { presentCommit, presentCommitDetail } from './commits.present.ts'
import { Commit, CommitDetail } from './commits.schema.ts'

const toBranch = { branch: Type.String({ description: 'Where the new commit goes' }) }

export const commitChanges = [
  endpoint('POST /projects/:id/repository/commits', {
    summary: 'Commit changes of several files at once',
    access: project('developer'),
    body: { ...commitParameters, actions },
    mostBody_bytes,
    reply: CommitDetail,
    async handle({ app, repo, user, project, level, body }) {
      const commit = await commitActions(app, { user, project, level }, body, body.actions)
      const stats = await readStats(repo, [commit])
      return presentCommitDetail(commit, { stats: stats.get(commit.oid), last_pipeline: null, project_id: project.id })
    },
  }),
  endpoint('POST /projects/:id/repository/commits/:sha/cherry_pick', {
    summary: 'Commit to a branch what another commit changed',
    access: project('developer'),
    body: toBranch,
    reply: Commit,
    async handle({ app, user, project, level, params, body }) {
      return presentCommit(await repeatCommit(app, { user, project, level }, 'cherry-pick', params.sha, body.branch))
    },
  }),
  endpoint('POST /projects/:id/repository/commits/:sha/revert', {
    summary: 'Commit to a branch the opposite of what another commit changed',
    access: project('developer'),
    body: toBranch,
    reply: Commit,
    async handle({ app, user, project, level, params, body }) {
      return presentCommit(await repeatCommit(app, { user, project, level }, 'revert', params.sha, body.branch))
    },
  }),
]
