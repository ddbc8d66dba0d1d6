/** Clones and pushes over our server, against git itself: over `file://`, behind its own http-backend, and by OpenSSH's server. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackendInput } from './backend.ts'
import type { Forge } from './forge.ts'
import { type Cost, compare, costOf, measureInterleaved, type Terms } from './git-rounds.ts'
import { git, settledCpu, startHelper } from './processes.ts'
import { byBackend, byFile, bySshd, oursByHttp, oursBySsh, type Protocol } from './protocols.ts'
import { atMost, digits, median, printLine, type Row } from './report.ts'
import { maxGitRounds, maxSshRounds } from './settings.ts'
import { type SshKey, startSshd } from './ssh.ts'

/** Also gives the address of a repository that was pushed to our server. */
export async function measureGit(forge: Forge, source: string, folder: string, key: SshKey): Promise<{ rows: Row[]; cloned: string }> {
  const plain = join(folder, 'plain')
  await mkdir(plain, { recursive: true })
  const backend = await startHelper('backend.ts', { root: plain } satisfies BackendInput)
  try {
    const ours = oursByHttp(forge)
    const protocols = [ours, byFile(plain), byBackend(plain, backend)]
    const terms = { maxRounds: maxGitRounds, maxRatio: 1.1 }
    const pushes = await measurePushes(protocols, source, terms)
    const first = await cloneOnce(ours, 'first', source, folder)
    const clones = await measureClones(protocols, folder, terms)
    const rows = [
      ...compare('clone', clones, terms),
      cloneAgain(first, clones.get(ours) ?? []),
      ...compare('push', pushes, terms),
      ...(await measureSsh(forge, source, folder, key)),
    ]
    return { rows, cloned: ours.cloneUrl('0') }
  } finally {
    await backend.stop()
  }
}

async function measureSsh(forge: Forge, source: string, folder: string, key: SshKey): Promise<Row[]> {
  const sshd = await startSshd(key, folder)
  if (!sshd) {
    printLine('\nThere is no sshd on this machine: nothing to measure git over SSH against.')
    return []
  }
  try {
    const protocols = [oursBySsh(forge, key), bySshd(join(folder, 'plain'), sshd, key)]
    const terms = { maxRounds: maxSshRounds, maxRatio: 1.2 }
    const pushes = await measurePushes(protocols, source, terms)
    const clones = await measureClones(protocols, folder, terms)
    return [...compare('clone by SSH', clones, terms), ...compare('push by SSH', pushes, terms)]
  } finally {
    await sshd.stop()
  }
}

/** Pushes into a new repository each time; those numbered 0 stay and are cloned later. */
function measurePushes(protocols: Protocol[], source: string, terms: Terms): Promise<Map<Protocol, Cost[]>> {
  return measureInterleaved('pushing', protocols, terms, async (protocol, round) => {
    await protocol.prepare(String(round))
    return costOf(protocol, () => push(protocol, String(round), source))
  })
}

async function push({ options, pushUrl }: Protocol, name: string, source: string): Promise<void> {
  await git(source, ...options, 'push', '--quiet', pushUrl(name), 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*')
}

async function clone({ options, cloneUrl }: Protocol, name: string, target: string): Promise<void> {
  await git('/', ...options, 'clone', '--quiet', '--bare', cloneUrl(name), target)
}

function measureClones(protocols: Protocol[], folder: string, terms: Terms): Promise<Map<Protocol, Cost[]>> {
  const target = join(folder, 'clone.git')
  return measureInterleaved('cloning', protocols, terms, async (protocol) => {
    const cost = await costOf(protocol, () => clone(protocol, '0', target))
    await rm(target, { recursive: true })
    return cost
  })
}

/** The first clone of a repository that has just been pushed. */
async function cloneOnce(protocol: Protocol, name: string, source: string, folder: string): Promise<Cost> {
  const target = join(folder, 'first.git')
  await protocol.prepare(name)
  await push(protocol, name, source)
  await settledCpu(protocol.pid ?? process.pid)
  const cost = await costOf(protocol, () => clone(protocol, name, target))
  await rm(target, { recursive: true })
  return cost
}

function cloneAgain(first: Cost, later: Cost[]): Row {
  const again_s = median(later.map(({ server_s }) => server_s))
  return {
    what: "a clone of what was cloned before, the server's processor time",
    ours: `${digits(again_s)} s`,
    limit: `its first clone, right after the push: ${digits(first.server_s)} s`,
    ratio: digits(again_s / first.server_s),
    ...atMost(again_s / first.server_s, 0.25),
  }
}
