/** Commits the current work tree, including uncommitted files, without changing the developer's repository. */
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { StartRefused } from '../../failure.ts'

const run = promisify(execFile)

export interface Snapshot {
  branch: string
  /** Pushes it, after the default branch of `origin` if that is known and a different one. */
  push: (url: string) => Promise<void>
}

/** @param aside an empty folder for git's files */
export async function takeSnapshot(folder: string, aside: string): Promise<Snapshot> {
  const top = await git(folder, ['rev-parse', '--show-toplevel'], {}).catch(() => {
    throw new StartRefused(`${folder} is in no git repository`)
  })
  const objects = await git(top, ['rev-parse', '--path-format=absolute', '--git-path', 'objects'], {})
  await mkdir(join(aside, 'objects'), { recursive: true })
  const env = {
    GIT_INDEX_FILE: join(aside, 'index'),
    GIT_OBJECT_DIRECTORY: join(aside, 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: objects,
    ...{ GIT_AUTHOR_NAME: 'gitstead ci local', GIT_AUTHOR_EMAIL: 'local@localhost' },
    ...{ GIT_COMMITTER_NAME: 'gitstead ci local', GIT_COMMITTER_EMAIL: 'local@localhost' },
  }
  const head = await git(top, ['rev-parse', '--verify', '--quiet', 'HEAD'], {}).catch(() => null)
  await git(top, ['add', '--all'], env)
  const tree = await git(top, ['write-tree'], env)
  const message = head === null ? 'The work tree' : await git(top, ['log', '-1', '--format=%B', head], env)
  const parents = head === null ? [] : ['-p', head]
  const isClean = head !== null && tree === (await git(top, ['rev-parse', `${head}^{tree}`], env))
  const commit = isClean ? head : await git(top, ['commit-tree', ...parents, '-m', message || 'The work tree', tree], env)
  const branch = await git(top, ['symbolic-ref', '--quiet', '--short', 'HEAD'], {}).catch(() => 'main')
  const remote = await git(top, ['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD'], {}).catch(() => null)
  const default_branch = remote?.replace('refs/remotes/origin/', '') ?? branch
  const push = (url: string, refspec: string) => git(top, ['push', '--quiet', '--no-verify', '--no-signed', url, refspec], env)
  return {
    branch,
    async push(url) {
      if (default_branch !== branch) await push(url, `${remote}:refs/heads/${default_branch}`)
      await push(url, `${commit}:refs/heads/${branch}`)
    },
  }
}

async function git(cwd: string, args: string[], env: Record<string, string>): Promise<string> {
  const { stdout } = await run('git', args, { cwd, env: { ...process.env, GIT_TERMINAL_PROMPT: '0', ...env }, maxBuffer: 64 * 1024 * 1024 })
  return stdout.trim()
}
