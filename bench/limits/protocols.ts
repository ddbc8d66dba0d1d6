/** The ways by which git reaches a server: ours, and those of git itself that they are measured against. */
import { join } from 'node:path'
import type { Forge } from '../forge.ts'
import { git } from '../processes.ts'
import { withToken } from '../reading.ts'
import type { Sshd, SshKey } from './ssh.ts'

export interface Protocol {
  name: string
  /** Whether ours is to be hardly slower; otherwise it is only shown. */
  isAim: boolean
  /** The process whose time is counted; null when the client starts the server's side itself. */
  pid: number | null
  /** Makes an empty repository. */
  prepare: (name: string) => Promise<void>
  pushUrl: (name: string) => string
  cloneUrl: (name: string) => string
  /** Options for git that make it use this protocol. */
  options: string[]
}

export function oursByHttp(forge: Forge): Protocol {
  return {
    name: 'Gitstead',
    isAim: false,
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
    isAim: false,
    pid: forge.pid,
    prepare: (name) => makeProject(forge, `ssh-${name}`),
    pushUrl: url,
    cloneUrl: url,
    options: optionsOf(key),
  }
}

/** A configuration of git, for a repository that is served by git alone. */
export interface Care {
  name: string
  isAim: boolean
  /** Pairs of `git config`. */
  settings: Array<[name: string, value: string]>
}

/** As git is without any configuration: it neither checks objects nor flushes loose ones and refs. */
export const plain: Care = { name: '', isAim: true, settings: [] }

/** The settings of `git/process/configuration.ts` that make a push safe, so that both sides do the same work. */
export const careful: Care = {
  name: ', as careful',
  isAim: true,
  settings: [
    ['transfer.fsckObjects', 'true'],
    ['core.fsync', 'objects,derived-metadata,reference'],
  ],
}

export function byFile(folder: string, care: Care): Protocol {
  return { name: `git, file://${care.name}`, isAim: care.isAim, pid: null, ...bare(folder, 'file', `file://${folder}`, care), options: [] }
}

export function byBackend(folder: string, { url, pid }: { url: string; pid: number }, care: Care): Protocol {
  return { name: `git, http-backend${care.name}`, isAim: care.isAim, pid, ...bare(folder, 'http', url, care), options: [] }
}

export function bySshd(folder: string, { user, port, pid }: Sshd, key: SshKey, care: Care): Protocol {
  const base = `ssh://${user}@127.0.0.1:${port}${folder}`
  return { name: `git, sshd${care.name}`, isAim: care.isAim, pid, ...bare(folder, 'sshd', base, care), options: optionsOf(key) }
}

function optionsOf(key: SshKey): string[] {
  return ['-c', `core.sshCommand=${key.command}`]
}

async function makeProject(forge: Forge, name: string): Promise<void> {
  await forge.call('POST', '/projects', { name, visibility: 'public' })
}

/** Repositories of git alone in a folder, each protocol with its own. */
function bare(folder: string, protocol: string, base: string, { settings }: Care): Pick<Protocol, 'prepare' | 'pushUrl' | 'cloneUrl'> {
  const nameOf = (name: string) => `${protocol}-${settings.length}-${name}.git`
  const url = (name: string) => `${base}/${nameOf(name)}`
  return {
    async prepare(name) {
      const dir = join(folder, nameOf(name))
      await git('/', 'init', '--quiet', '--bare', dir)
      for (const [setting, value] of settings) await git(dir, 'config', setting, value)
    },
    pushUrl: url,
    cloneUrl: url,
  }
}
