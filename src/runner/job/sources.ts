/** The work tree of a job, fetched with the job's token, which appears neither in a command nor in the git configuration. */
import { lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isUrl } from '../../text/parse-url.ts'
import { runnerInfo } from '../protocol/info.ts'
import type { JobPayload } from '../protocol/payload.ts'
import { command, type Exported } from '../shell/script.ts'
import { echo } from '../shell/text.ts'
import type { JobFolders } from './folders.ts'
import type { Variables } from './variables.ts'

export type GitStrategy = 'clone' | 'fetch' | 'none'

/** Entries of a repository that are only data, even if an earlier job wrote them. Configuration and hooks can run programs. */
const dataOfGit = new Set(['HEAD', 'index', 'objects', 'packed-refs', 'refs', 'shallow'])

export function gitStrategy(job: JobPayload, variables: Variables): GitStrategy {
  const wanted = variables.get('GIT_STRATEGY')
  if (wanted === 'clone' || wanted === 'fetch' || wanted === 'none') return wanted
  return job.allow_git_fetch ? 'fetch' : 'clone'
}

/** Empties the work tree, or removes everything of an earlier job that git would execute. Returns whether a repository is left to reuse. */
export async function prepareWorkTree({ project }: JobFolders, strategy: GitStrategy): Promise<boolean> {
  if (strategy === 'clone') {
    await rm(project, { recursive: true, force: true })
    await mkdir(project, { recursive: true, mode: 0o755 })
    return false
  }
  const git = join(project, '.git')
  const stats = await lstat(git).catch(() => null)
  if (strategy === 'fetch') await removeNestedRepositories(project)
  if (!stats?.isDirectory()) {
    await rm(git, { recursive: true, force: true })
    return false
  }
  for (const name of await readdir(git)) if (!dataOfGit.has(name)) await rm(join(git, name), { recursive: true, force: true })
  await rm(join(git, 'objects/info/alternates'), { force: true })
  return true
}

async function removeNestedRepositories(folder: string, depth = 0): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true })
  if (depth > 0 && entries.some(({ name }) => name.toLowerCase() === '.git')) {
    await rm(folder, { recursive: true, force: true })
    return
  }
  for (const entry of entries) {
    if (entry.isDirectory() && !(depth === 0 && entry.name === '.git')) await removeNestedRepositories(join(folder, entry.name), depth + 1)
  }
}

/** The variables of a job that git may see while it has network access. Others could name programs. */
const forGit = /^(?:CI_JOB_TOKEN|GIT_LFS_SKIP_SMUDGE|GIT_SSL_NO_VERIFY|GIT_TRACE|(?:https?|no|all)_proxy|(?:HTTPS?|NO|ALL)_PROXY)$/

const forFetching: [string, string][] = [
  ['init.defaultBranch', 'none'],
  ['fetch.recurseSubmodules', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['advice.detachedHead', 'false'],
]

export function gitVariables(job: JobPayload, variables: Variables): Exported[] {
  const chosen = variables.exported.filter(({ key }) => forGit.test(key))
  return [...chosen, { key: 'CI_JOB_TOKEN', value: job.token }, ...credentialVariables(job, forFetching)]
}

/** Git asks for credentials of this server only, and gets them from the environment. */
export function credentialVariables({ git_info }: JobPayload, more: [string, string][] = []): Exported[] {
  const { origin } = cleanUrl(git_info.repo_url)
  const helper = '!f() { test "$1" = get && echo username=gitlab-ci-token && echo "password=$CI_JOB_TOKEN"; }; f'
  const settings = [[`credential.${origin}.helper`, helper] as const, ...more]
  return [
    { key: 'GIT_TERMINAL_PROMPT', value: '0' },
    { key: 'GIT_CONFIG_COUNT', value: String(settings.length) },
    ...settings.flatMap(([key, value], at) => [
      { key: `GIT_CONFIG_KEY_${at}`, value: key },
      { key: `GIT_CONFIG_VALUE_${at}`, value },
    ]),
  ]
}

function cleanUrl(repo_url: string): { origin: string; url: string } {
  if (!isUrl(repo_url)) throw new Error('the server sent no address of the repository')
  const url = new URL(repo_url)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error(`the repository's address is not one of HTTP: ${url.protocol}`)
  url.username = ''
  url.password = ''
  return { origin: url.origin, url: url.href }
}

/** The commands that fetch and check out, run in the project's folder. */
export function sourceCommands(job: JobPayload, variables: Variables, strategy: GitStrategy): string[] {
  if (strategy === 'none') return [echo('notice', 'Skipping Git repository setup'), echo('notice', 'Skipping Git checkout')]
  return [...fetchCommands(job, variables), ...checkoutCommands(job, variables), ...submoduleCommands(variables)]
}

function fetchCommands(job: JobPayload, variables: Variables): string[] {
  const { url } = cleanUrl(job.git_info.repo_url)
  const depth = job.git_info.depth > 0 ? job.git_info.depth : countOf(variables.get('GIT_DEPTH'))
  const flags = flagsOf(variables.get('GIT_FETCH_EXTRA_FLAGS'), ['--prune', '--quiet'])
  const agent = `http.userAgent=${runnerInfo.name} ${runnerInfo.version} ${runnerInfo.platform}/${runnerInfo.architecture}`
  const refspecs = job.git_info.refspecs.length > 0 ? job.git_info.refspecs : defaultRefspecs(job, depth)
  const deep = depth > 0 ? ['--depth', String(depth)] : []
  const fetch = (what: string[]) => command('git', '-c', agent, 'fetch', 'origin', ...what, ...deep, ...flags)
  const sha = job.git_info.sha
  return [
    echo('notice', depth > 0 ? `Fetching changes with git depth set to ${depth}...` : 'Fetching changes...'),
    command('git', 'init', '--quiet', '--template='),
    `if ${command('git', 'remote', 'add', 'origin', url)} 2>/dev/null; then ${echo('notice', 'Created fresh repository.')}; else ${command('git', 'remote', 'set-url', 'origin', url)}; fi`,
    fetch(refspecs),
    // The branch may have moved or been deleted since the pipeline was created.
    `${command('git', 'cat-file', '-e', `${sha}^{commit}`)} 2>/dev/null || ${fetch([sha])}`,
  ]
}

/** Refspecs for early servers of this protocol, which sent none. */
function defaultRefspecs({ git_info: { ref, ref_type } }: JobPayload, depth: number): string[] {
  if (depth === 0) return ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']
  return [ref_type === 'tag' ? `+refs/tags/${ref}:refs/tags/${ref}` : `+refs/heads/${ref}:refs/remotes/origin/${ref}`]
}

function checkoutCommands({ git_info: { sha, ref } }: JobPayload, variables: Variables): string[] {
  const isWanted = variables.get('GIT_CHECKOUT') === '' || variables.isTrue('GIT_CHECKOUT')
  if (!isWanted) return [echo('notice', 'Skipping Git checkout')]
  const flags = flagsOf(variables.get('GIT_CLEAN_FLAGS'), ['-ffdx'])
  const isLfs = !variables.isTrue('GIT_LFS_SKIP_SMUDGE')
  return [
    echo('notice', `Checking out ${sha.slice(0, 8)} as detached HEAD (ref is ${ref})...`),
    command('git', 'checkout', '-f', '-q', sha),
    ...(variables.get('GIT_CLEAN_FLAGS') === 'none' ? [] : [command('git', 'clean', ...flags)]),
    ...(isLfs ? ['if git lfs version >/dev/null 2>&1; then git lfs install --local --skip-repo >/dev/null; git lfs pull; fi'] : []),
  ]
}

function submoduleCommands(variables: Variables): string[] {
  const strategy = variables.get('GIT_SUBMODULE_STRATEGY')
  if (strategy === '' || strategy === 'none') return [echo('notice', 'Skipping Git submodules setup')]
  if (strategy !== 'normal' && strategy !== 'recursive') throw new Error('unknown GIT_SUBMODULE_STRATEGY')
  const recursive = strategy === 'recursive' ? ['--recursive'] : []
  const depth = countOf(variables.get('GIT_SUBMODULE_DEPTH'))
  const deep = depth > 0 ? ['--depth', String(depth)] : []
  const more = flagsOf(variables.get('GIT_SUBMODULE_UPDATE_FLAGS'), [])
  const paths = variables.get('GIT_SUBMODULE_PATHS').split(/\s+/).filter(Boolean)
  const only = paths.length > 0 ? ['--', ...paths] : []
  const manner = `${recursive.length > 0 ? ' recursively' : ''}${depth > 0 ? ` with git depth set to ${depth}` : ''}`
  return [
    echo('notice', `Updating/initializing submodules${manner}...`),
    command('git', 'submodule', 'init', ...only),
    command('git', 'submodule', 'sync', ...recursive, ...only),
    command('git', 'submodule', 'update', '--init', ...recursive, ...deep, ...more, ...only),
  ]
}

const countOf = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : 0)

function flagsOf(text: string, usual: string[]): string[] {
  const flags = text.split(/\s+/).filter(Boolean)
  if (flags.length === 0) return usual
  return text.trim() === 'none' ? [] : flags
}
