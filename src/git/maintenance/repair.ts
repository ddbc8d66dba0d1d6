/**
 * Repairs what makes a folder a repository: HEAD, the configuration, the folders. Earlier versions did not flush them when a project was
 * created, so a power failure could leave them empty while refs and objects were intact.
 */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createFoldersDurably, writeDurably } from '../../durable.ts'
import { setHead } from '../refs/head.ts'
import { bareConfig, type Repo, repositoryFolders } from '../repository/repository.ts'

/** HEAD names a branch or a commit. After a power failure a file may have its length, but contain only zeros. */
const validHead = /^(?:ref: refs\/[^\s\0]+|[0-9a-f]{40}|[0-9a-f]{64})\n?$/

/**
 * Returns the names of what was repaired; null if there is no repository at all. Reads two small files if nothing is wrong.
 * @param defaultBranch the branch for HEAD if it names none
 */
export async function repairRepository(repo: Repo, defaultBranch: string): Promise<string[] | null> {
  const [head, settings] = await Promise.all(['HEAD', 'config'].map((name) => readFile(join(repo.dir, name), 'utf8').catch(nullIfMissing)))
  const isHeadValid = validHead.test(head ?? '')
  const isConfigValid = /^\s*bare = true$/m.test(settings ?? '') && !settings?.includes('\0')
  if (isHeadValid && isConfigValid) return []
  const repaired: string[] = []
  // A repository that was removed meanwhile must not be created again.
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
