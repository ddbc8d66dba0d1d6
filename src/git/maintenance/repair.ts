/**
 * Repairs what makes a folder a repository: HEAD, the configuration, the folders. Versions before this one did not flush them when
 * a project was created, so that a power cut left them empty, while refs and objects were there.
 */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createFoldersDurably, writeDurably } from '../../durable.ts'
import { setHead } from '../refs/head.ts'
import { bareConfig, type Repo, repositoryFolders } from '../repository/repository.ts'

/** HEAD names a branch, or a commit. After a power cut a file may have its length and nothing but zeros. */
const validHead = /^(?:ref: refs\/[^\s\0]+|[0-9a-f]{40}|[0-9a-f]{64})\n?$/

/**
 * Gives the names of what was repaired; null where there is no repository at all. Reads two small files where all is well.
 * @param defaultBranch what HEAD names if it names nothing any more
 */
export async function repairRepository(repo: Repo, defaultBranch: string): Promise<string[] | null> {
  const [head, settings] = await Promise.all(['HEAD', 'config'].map((name) => readFile(join(repo.dir, name), 'utf8').catch(nullIfMissing)))
  const isHeadValid = validHead.test(head ?? '')
  const isConfigValid = /^\s*bare = true$/m.test(settings ?? '') && !settings?.includes('\0')
  if (isHeadValid && isConfigValid) return []
  const repaired: string[] = []
  // One that was removed meanwhile is not created again.
  if (!(await stat(repo.dir).catch(nullIfMissing))) return null
  for (const folder of repositoryFolders) await createFoldersDurably(join(repo.dir, folder))
  if (!isConfigValid) {
    await writeDurably(join(repo.dir, 'config'), bareConfig, 0o644)
    repaired.push('config')
  }
  if (!isHeadValid) {
    await setHead(repo, defaultBranch)
    repaired.push('HEAD')
  }
  repo.git.objects.release(repo.dir)
  return repaired
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
