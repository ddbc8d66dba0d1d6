/** `git-lfs-authenticate`: large files travel by HTTP, and who came by SSH gets a token for that. */
import type { App } from '../../app.ts'
import { lfsTokenLife_s, mintLfsToken, requireLargeFiles, whileProjectExists } from '../../features/repository/lfs/lfs.ts'
import { httpCloneUrl } from '../../links.ts'
import { admit } from '../access.ts'
import type { Caller } from '../ssh/run-command.ts'

/** What the client of git-lfs is told: where the large files of the project are, and by which header it gets them. */
export interface LfsAddress {
  href: string
  header: Record<string, string>
  /** In seconds. */
  expires_in: number
}

/** Throws as `admit` does where the caller may not do it. */
export async function authenticateLfs(
  app: App,
  { asker, key }: Caller,
  path: string,
  operation: 'download' | 'upload',
): Promise<LfsAddress> {
  const { project } = await admit(app, asker, path, operation === 'upload' ? 'write' : 'read', 'ssh')
  await requireLargeFiles(app.db, project)
  const token = await whileProjectExists(app.db, project.id, () =>
    mintLfsToken(app.db, { project_id: project.id, key_id: key.id, operation }),
  )
  return {
    href: `${httpCloneUrl(app.config, project.full_path)}/info/lfs`,
    header: { Authorization: `Basic ${Buffer.from(`git-lfs:${token}`).toString('base64')}` },
    expires_in: lfsTokenLife_s,
  }
}
