/** The repository that is read, and its address for git. */
import type { Forge } from './forge.ts'
import { git } from './processes.ts'

/** The address of the server with the credentials of its administrator in it. */
export function withToken(forge: Forge): string {
  return forge.url.replace('://', `://root:${forge.token}@`)
}

/** Makes the project `root/read` of some repositories. */
export async function pushToRead(forge: Forge, sources: string[]): Promise<void> {
  await forge.call('POST', '/projects', { name: 'read', visibility: 'private' })
  for (const source of sources) {
    await git(source, 'push', '--quiet', `${withToken(forge)}/root/read.git`, 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*')
  }
  // Jobs of the pushes would otherwise count as cost of the reads.
  await forge.settled()
}
