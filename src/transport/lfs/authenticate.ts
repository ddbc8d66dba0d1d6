/** `git-lfs-authenticate`: large files use HTTP, so SSH clients get a token for it. */

import { httpCloneUrl } from '../../addresses/links.ts'
import type { App } from '../../app.ts'
import { lfsTokenLife_s, mintLfsToken, requireLargeFiles, whileProjectExists } from '../../features/repository/lfs/lfs.ts'
import { admit, type SshCaller } from '../access/access.ts'
import { ofProject } from './caller.ts'

/** The reply to the Git LFS client: the URL of the large files, and the header to send. */
export interface LfsAddress {
  href: string
  header: Record<string, string>
  /** In seconds. */
  expires_in: number
}

/** Throws as `admit` does if the caller lacks permission. */
export async function authenticateLfs(
  app: App,
  { principal, key }: SshCaller,
  path: string,
  operation: 'download' | 'upload',
): Promise<LfsAddress> {
  const enter = (at: string) => admit(app, principal, at, operation === 'upload' ? 'write' : 'read', 'ssh')
  const { project, path: current } = await ofProject(await enter(path), enter)
  await requireLargeFiles(app.db, project)
  const token = await whileProjectExists(app.db, project.id, () =>
    mintLfsToken(app.db, { project_id: project.id, key_id: key.id, operation }),
  )
  return {
    href: `${httpCloneUrl(app.config, current)}/info/lfs`,
    header: { Authorization: `Basic ${Buffer.from(`git-lfs:${token}`).toString('base64')}` },
    expires_in: lfsTokenLife_s,
  }
}
