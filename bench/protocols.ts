/** The ways by which git reaches a server: ours, and those of git itself that they are measured against. */
import { join } from 'node:path'
import type { Forge } from './forge.ts'
import { withToken } from './measure-api.ts'
import { git } from './processes.ts'
import type { Sshd, SshKey } from './ssh.ts'

export interface Protocol {
  name: string
  /** The process whose time is counted; null when the client starts the server's side itself. */
  pid: number | null
  /** Makes an empty repository. */
  prepare: (name: string) => Promise<void>
  pushUrl: (name: string) => string
  cloneUrl: (name: string) => string
  /** What git is given to reach it. */
  options: string[]
}

export function oursByHttp(forge: Forge): Protocol {
  return {
    name: 'Gitstead',
    pid: forge.pid,
    prepare: (name) => makeProject(forge, `git-${name}`),
    pushUrl: (name) => `${withToken(forge)}/root/git-${name}.git`,
    cloneUrl: (name) => `${forge.url}/root/git-${name}.git`,
    options: [],
  }
}

export function oursBySsh(forge: Forge, key: SshKey): Protocol {
  const url = (name: string) => `ssh://git@127.0.0.1:${forge.ssh_port}/root/ssh-${name}.git`
  return {
    name: 'Gitstead',
    pid: forge.pid,
    prepare: (name) => makeProject(forge, `ssh-${name}`),
    pushUrl: url,
    cloneUrl: url,
    options: optionsOf(key),
  }
}

export function byFile(folder: string): Protocol {
  return { name: 'git, file://', pid: null, ...plain(folder, 'file', `file://${folder}`), options: [] }
}

export function byBackend(folder: string, { url, pid }: { url: string; pid: number }): Protocol {
  return { name: 'git, http-backend', pid, ...plain(folder, 'http', url), options: [] }
}

export function bySshd(folder: string, { user, port, pid }: Sshd, key: SshKey): Protocol {
  return { name: 'git, sshd', pid, ...plain(folder, 'sshd', `ssh://${user}@127.0.0.1:${port}${folder}`), options: optionsOf(key) }
}

function optionsOf(key: SshKey): string[] {
  return ['-c', `core.sshCommand=${key.command}`]
}

async function makeProject(forge: Forge, name: string): Promise<void> {
  await forge.call('POST', '/projects', { name, visibility: 'public' })
}

/** Repositories of git alone in a folder, each protocol with its own. */
function plain(folder: string, prefix: string, base: string): Pick<Protocol, 'prepare' | 'pushUrl' | 'cloneUrl'> {
  const url = (name: string) => `${base}/${prefix}-${name}.git`
  return {
    prepare: async (name) => void (await git('/', 'init', '--quiet', '--bare', join(folder, `${prefix}-${name}.git`))),
    pushUrl: url,
    cloneUrl: url,
  }
}
