/** Background work: copies the repository of a project into its fork. */
import { buffer } from 'node:stream/consumers'
import { mayUse } from '../../../access/features.ts'
import { canDownload, findProject, type LocatedProject, type ProjectAccess } from '../../../access/find.ts'
import { accessLevels } from '../../../access/levels.ts'
import { mayAct } from '../../../access/states.ts'
import { findUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'
import { readHead } from '../../../git/refs/head.ts'
import { copyRepository } from '../../../git/transfer/mirror.ts'
import { Upload } from '../../../http/parameters/upload.ts'
import { type AnyJob, job } from '../../../queue/queue.ts'
import { isMoreOpen } from '../../../validation.ts'
import { copyWiki } from '../../documents/wikis/wikis.ts'
import { shareLargeFiles } from '../../repository/lfs/lfs.ts'
import { type Avatar, acceptAvatar, changeAvatar, mediaTypeOf } from '../../storage/avatars/avatars.ts'
import { type Filling, fillProject } from '../imports/imports.ts'
import { avatarOf, giveAvatar, repositorySizeOf } from './forks.queries.ts'

/** The project from which the fork was created, even if its fork relation has changed when the job runs. */
export const forkJob = job<Filling & { source_id: number }>('forks.copy', {
  lane: 'slow',
  async handle(app, { source_id, ...filling }, stopping) {
    const avatar = await copyAvatar(app, source_id)
    await fillProject(
      app,
      filling,
      {
        total_bytes: await repositorySizeOf(app.db, source_id),
        async bring(repo, fork, signal) {
          const access = await requireSource(app, source_id, filling.user_id)
          const from = access.project
          // The fork relation may be gone: then its visibility was not limited together with its source's.
          if (isMoreOpen(fork.visibility, from.visibility)) throw new Failure('forbidden', 'The fork is more open than what it is made of')
          const source = app.git.open(source_id)
          // Not even unreachable objects may leak: projects share no files if users may see only one of them.
          const share = from.visibility === fork.visibility && mayUse('merge_requests', access)
          await copyRepository(source, repo, { share, signal })
          await copyWikiOf(app, from, fork, { user_id: filling.user_id, share, signal })
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

/** Throws `not_found` if the user can't read the source any more, or may not act. */
async function requireSource(app: App, source_id: number, user_id: number): Promise<ProjectAccess> {
  const user = await findUser(app.db, String(user_id))
  const found = user && mayAct(user) ? await findProject(app.db, String(source_id), user).catch(nullIfMissing) : null
  if (!found || !canDownload(found, user)) throw new Failure('not_found', 'The project it is a fork of cannot be read any more')
  return found
}

/** Only if the user may read the wiki and it is enabled: its pages are treated like code. */
async function copyWikiOf(
  app: App,
  source: LocatedProject,
  fork: LocatedProject,
  { user_id, share, signal }: { user_id: number; share: boolean; signal: AbortSignal },
): Promise<void> {
  const user = await findUser(app.db, String(user_id))
  if (!user) return
  const { level } = await findProject(app.db, String(source.id), user)
  const to = { kind: 'project', row: fork, level: accessLevels.owner } as const
  await copyWiki(app, { kind: 'project', row: source, level }, to, { user, share, signal })
}

/** A separate copy, since an avatar is removed with its project. A failure doesn't stop the fork. */
async function copyAvatar(app: App, source_id: number): Promise<Avatar | undefined> {
  const { avatar_key, avatar_name } = (await avatarOf(app.db, source_id)) ?? {}
  if (!avatar_key || !avatar_name) return undefined
  try {
    const bytes = await buffer(await app.store.open(avatar_key))
    return await acceptAvatar(app, new Upload(avatar_name, mediaTypeOf(avatar_name), bytes))
  } catch (error) {
    app.log.warn({ err: error, project_id: source_id }, 'avatar not copied to the fork')
    return undefined
  }
}

export const forkJobs: AnyJob[] = [forkJob]
