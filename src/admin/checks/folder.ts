/** Checks of the data folder: its owner, its permissions, and the hooks and git configuration in it. */
import { access, constants, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { staleConfiguration } from '../../git/process/configuration.ts'
import { type Finding, fail, numberOf, ok, warn } from './findings.ts'

export async function checkFolder({ home }: Config): Promise<Finding[]> {
  const found = await stat(home).catch((error: NodeJS.ErrnoException) => error)
  if (found instanceof Error) {
    if (found.code === 'ENOENT') return [warn('folder', `${home} does not exist`, 'the first start of the server creates it')]
    return [
      fail('folder', `${home} cannot be read (${found.code})`, 'run this command as the user of the server, or correct GITSTEAD_HOME'),
    ]
  }
  if (!found.isDirectory()) return [fail('folder', `${home} is no folder`, 'correct GITSTEAD_HOME')]
  const refused = await unusableIn(home)
  const [first] = refused
  if (first !== undefined)
    return [
      fail(
        'folder',
        `${first} cannot be used by this user`,
        `chown -R it to the user of the server (${numberOf(refused.length, 'such place')})`,
      ),
    ]
  return [...(await opennessOf(home, found.mode)), ...(await leftSecrets(home))]
}

/** Checks the folder and the files that the server writes in it. */
async function unusableIn(home: string): Promise<string[]> {
  const needed = constants.R_OK | constants.W_OK
  const names = ['.', ...(await readdir(home).catch(() => []))]
  const paths = names.filter((name) => name === '.' || isOurs(name)).map((name) => join(home, name))
  const refused = await Promise.all(
    paths.map(async (path) => {
      const found = await stat(path).catch(() => null)
      if (!found) return path
      return access(path, found.isDirectory() ? needed | constants.X_OK : needed).then(
        () => null,
        () => path,
      )
    }),
  )
  return refused.filter((path) => path !== null)
}

/** Other files are not checked. */
function isOurs(name: string): boolean {
  return /^(git|repositories|objects|scratch|ssh|gitstead\.sqlite(-wal|-shm)?)$/.test(name)
}

async function opennessOf(home: string, mode: number): Promise<Finding[]> {
  const open = mode & 0o077 ? [home] : []
  for (const name of ['gitstead.env', 'root-secrets', 'secret-key', 'gitstead.sqlite', ...(await hostKeysIn(home))]) {
    const found = await stat(join(home, name)).catch(() => null)
    // Nobody else can enter a closed folder, whatever the permissions inside.
    if (found && open.length > 0 && found.mode & 0o077) open.push(join(home, name))
  }
  if (open.length === 0) return [ok('folder', `${home}, for this user alone`)]
  return [warn('folder', `other users may read ${open.join(', ')}`, `chmod 700 ${home}`)]
}

async function hostKeysIn(home: string): Promise<string[]> {
  const names = await readdir(join(home, 'ssh')).catch(() => [])
  return names.filter((name) => /^ssh_host_.*_key$/.test(name)).map((name) => join('ssh', name))
}

async function leftSecrets(home: string): Promise<Finding[]> {
  const isThere = await stat(join(home, 'root-secrets')).catch(() => null)
  return isThere ? [warn('secrets', 'root-secrets still has the first password and token', 'note them, then delete the file')] : []
}

export async function checkHooks({ home }: Config): Promise<Finding[]> {
  const stale = await staleConfiguration(join(home, 'git', 'config'), join(home, 'git', 'hooks'))
  if (stale.length === 0) return [ok('hooks', 'hooks and configuration of git are those of this version')]
  const isNew = !(await stat(join(home, 'git')).catch(() => null))
  if (isNew) return [ok('hooks', 'none yet; the first start of the server writes them')]
  return [fail('hooks', `${stale.join(', ')} missing, changed or not executable`, 'restart the server, which writes them again')]
}
