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

/** By then the process that created the project has finished, or never will. */
export const healing_ms = 60_000

/** Makes the repository of a project whose maker was interrupted; of one that went while it was made, takes it away. */
export const createRepositoryJob = job<{ project_id: number; default_branch: string }>('projects.create_repository', {
  async handle(app, { project_id, default_branch }) {
    if (await projectExists(app.db, project_id)) await createRepository(app.git.open(project_id), default_branch)
    // The request that removed the project may have looked for its files before they were there.
    await removeIfGone(app, project_id)
  },
})

/** For the case that the process ends between a change of the default branch and what follows from it. */
export const followDefaultBranchJob = job<{ project_id: number }>('projects.follow_default_branch', {
  handle: (app, { project_id }) => followDefaultBranch(app, project_id),
})

/** Counts commits and bytes after a push: what `statistics` shows. */
export const measureProjectJob = job<{ project_id: number }>('projects.measure', {
  key: ({ project_id }) => `measure ${project_id}`,
  async handle(app, { project_id }) {
    const repo = app.git.open(project_id)
    // Not HEAD: right after a change of the default branch it follows in a moment, and nothing would count again.
    const branch = await defaultBranchOf(app.db, project_id)
    const tip = branch === null ? null : await resolveCommit(repo, `refs/heads/${branch}`)
    const { total } = tip ? await listCommits(repo, { from: tip }, { limit: 1, offset: 0 }) : { total: 0 }
    await updateProject(app.db, project_id, { commit_count: total, repository_size: await repositorySize(repo) })
  },
})

/** Once after the upgrade from a version that did not flush new repositories: migration 0008 enqueues it. */
export const repairRepositoriesJob = job<object>('projects.repair_repositories', {
  lane: 'slow',
  handle: (app, _, stopping) => repairAll(app, stopping),
})

export const projectJobs = [createRepositoryJob, removeRepositoryJob, followDefaultBranchJob, repairRepositoriesJob, measureProjectJob]
