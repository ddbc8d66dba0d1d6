/** Background work of projects. */
import { listCommits } from '../../../git/history/history.ts'
import { repositorySize } from '../../../git/refs/refs.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { createRepository } from '../../../git/repository/repository.ts'
import { job } from '../../../queue/queue.ts'
import { followDefaultBranch } from './default-branch.service.ts'
import { defaultBranchOf, projectExists, updateProject } from './projects.queries.ts'
import { removeRepositoryJob } from './removal.jobs.ts'
import { removeIfGone } from './removal.service.ts'
import { repairAll } from './repair.service.ts'

/** By then, the process that creates the project has finished or died. */
export const healing_ms = 60_000

/** Creates the repository of a project whose creation was interrupted. Removes it if the project was deleted meanwhile. */
export const createRepositoryJob = job<{ project_id: number; default_branch: string }>('projects.create_repository', {
  async handle(app, { project_id, default_branch }) {
    if (await projectExists(app.db, project_id)) await createRepository(app.git.open(project_id), default_branch)
    // The request that removed the project may have looked for its files before they existed.
    await removeIfGone(app, project_id)
  },
})

/** Runs if the process ends after the default branch has changed and before everything else has followed. */
export const followDefaultBranchJob = job<{ project_id: number }>('projects.follow_default_branch', {
  handle: (app, { project_id }) => followDefaultBranch(app, project_id),
})

/** Counts commits and bytes after a push: what `statistics` shows. */
export const measureProjectJob = job<{ project_id: number }>('projects.measure', {
  key: ({ project_id }) => `measure ${project_id}`,
  async handle(app, { project_id }) {
    const repo = app.git.open(project_id)
    // HEAD can't be used: right after a change of the default branch it may still be the old one, and nothing would count again.
    const branch = await defaultBranchOf(app.db, project_id)
    const tip = branch === null ? null : await resolveCommit(repo, `refs/heads/${branch}`)
    const { total } = tip ? await listCommits(repo, { from: tip }, { limit: 1, offset: 0 }) : { total: 0 }
    await updateProject(app.db, project_id, { commit_count: total, repository_size: await repositorySize(repo) })
  },
})

/** Runs once after an upgrade from a version that did not flush new repositories: migration 0008 enqueues it. */
export const repairRepositoriesJob = job<object>('projects.repair_repositories', {
  lane: 'slow',
  handle: (app, _, stopping) => repairAll(app, stopping),
})

export const projectJobs = [createRepositoryJob, removeRepositoryJob, followDefaultBranchJob, repairRepositoriesJob, measureProjectJob]
