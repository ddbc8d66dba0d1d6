/** Copying the repository of a project into its fork. */
import { copyRepository } from '../../git/mirror.ts'
import { readHead } from '../../git/refs.ts'
import { type AnyJob, job } from '../../queue/queue.ts'
import { type Filling, fillProject } from '../imports/fill.service.ts'
import { shareLargeFiles } from '../lfs/lfs.service.ts'
import { sourceOf } from './forks.queries.ts'

/** The source may be another by the time the job runs, or gone: it is the one the fork was made of. */
export const forkJob = job<Filling & { source_id: number }>('forks.copy', {
  lane: 'slow',
  handle: (app, { source_id, ...filling }, stopping) =>
    fillProject(
      app,
      filling,
      {
        async bring(repo, fork) {
          const from = await sourceOf(app.db, source_id)
          const source = app.git.open(source_id)
          // Nothing of what one may not see stands in files of what he may: not even what no branch leads to any more.
          await copyRepository(source, repo, { share: from.visibility === fork.visibility, signal: stopping })
          return readHead(source)
        },
        settle: (tx) => shareLargeFiles(tx, source_id, filling.project_id),
      },
      stopping,
    ),
})

export const forkJobs: AnyJob[] = [forkJob]
