/** Copying the repository of a project into its fork. */
import { buffer } from 'node:stream/consumers'
import type { App } from '../../app.ts'
import { copyRepository } from '../../git/mirror.ts'
import { readHead } from '../../git/refs.ts'
import { Upload } from '../../http/upload.ts'
import { type AnyJob, job } from '../../queue/queue.ts'
import { type Avatar, acceptAvatar, changeAvatar, mediaTypeOf } from '../avatars/avatars.service.ts'
import { type Filling, fillProject } from '../imports/fill.service.ts'
import { shareLargeFiles } from '../lfs/lfs.service.ts'
import { avatarOf, giveAvatar, sourceOf } from './forks.queries.ts'

/** The source is the one the fork was made of, whatever it is called a fork of by the time the job runs. */
export const forkJob = job<Filling & { source_id: number }>('forks.copy', {
  lane: 'slow',
  async handle(app, { source_id, ...filling }, stopping) {
    const avatar = await copyAvatar(app, source_id)
    await fillProject(
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
        async settle(tx) {
          await shareLargeFiles(tx, source_id, filling.project_id)
          if (avatar && (await giveAvatar(tx, filling.project_id, avatar))) await changeAvatar(tx, null, avatar)
        },
      },
      stopping,
    )
  },
})

/** A picture of its own: each goes with its project. That there is none in the end is no reason not to fork. */
async function copyAvatar(app: App, source_id: number): Promise<Avatar | undefined> {
  const { avatar_key, avatar_name } = (await avatarOf(app.db, source_id)) ?? {}
  if (!avatar_key || !avatar_name) return undefined
  try {
    const bytes = await buffer(await app.store.open(avatar_key))
    return await acceptAvatar(app, new Upload(avatar_name, mediaTypeOf(avatar_name), bytes))
  } catch (error) {
    app.log.warn({ err: error, project_id: source_id }, 'the avatar of a project could not be copied into its fork')
    return undefined
  }
}

export const forkJobs: AnyJob[] = [forkJob]
