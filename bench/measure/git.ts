/** Clones and pushes over our server, against git itself: over `file://`, behind its own http-backend, and by OpenSSH's server. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { generateRefs } from '../data/repository.ts'
import type { Forge } from '../forge.ts'
import { type Cost, compare, costOf, measureInterleaved, type Terms } from '../git-rounds.ts'
import type { BackendInput } from '../limits/backend.ts'
import { byBackend, byFile, bySshd, type Care, careful, oursByHttp, oursBySsh, type Protocol, plain } from '../limits/protocols.ts'
import { type SshKey, startSshd } from '../limits/ssh.ts'
import { git, settledCpu, startHelper } from '../processes.ts'
import { atMost, digits, median, printLine, type Row } from '../report.ts'
import { maxGitRounds, maxRefRounds, maxSshRounds, pushedRefs, pushesRefs } from '../settings.ts'

/** Also gives the address of a repository that was pushed to our server. */
export async function measureGit(forge: Forge, source: string, folder: string, key: SshKey): Promise<{ rows: Row[]; cloned: string }> {
  const bare = join(folder, 'bare')
  await mkdir(bare, { recursive: true })
  const backend = await startHelper('backend.ts', { root: bare } satisfies BackendInput)
  try {
    const ours = oursByHttp(forge)
    const by = (care: Care) => [byFile(bare, care), byBackend(bare, backend, care)]
    const terms = { maxRounds: maxGitRounds, maxRatio: 1.1 }
    const limits = by(plain)
    const pushes = await measurePushes([ours, ...by(careful), ...limits.map(shown)], source, terms)
    const first = await cloneOnce(ours, 'first', source, folder)
    const clones = await measureClones([ours, ...limits], folder, terms)
    const rows = [
      ...compare('clone', clones, terms),
      cloneAgain(first, clones.get(ours) ?? []),
      ...compare('push', pushes, terms),
      ...(await measureRefs([ours, byBackend(bare, backend, careful)], folder)),
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
    const bare = join(folder, 'bare')
    const [ours, theirs, asCareful] = [oursBySsh(forge, key), bySshd(bare, sshd, key, plain), bySshd(bare, sshd, key, careful)]
    const terms = { maxRounds: maxSshRounds, maxRatio: 1.2 }
    const pushes = await measurePushes([ours, asCareful, shown(theirs)], source, terms)
    const clones = await measureClones([ours, theirs], folder, terms)
    return [
      ...compare('clone by SSH', clones, terms),
      ...compare('push by SSH', pushes, terms),
      ...(await measureRefs([ours, asCareful], folder, ' by SSH')),
    ]
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

/** Shows the protocol in the table without an aim. */
function shown(protocol: Protocol): Protocol {
  return { ...protocol, isAim: false }
}

/** Pushes of many new refs to a repository that has their commit already. */
async function measureRefs(protocols: Protocol[], folder: string, suffix = ''): Promise<Row[]> {
  if (!pushesRefs) return []
  const source = await generateRefs(join(folder, `refs${suffix.replaceAll(' ', '-')}.git`), pushedRefs)
  const terms = { maxRounds: maxRefRounds, maxRatio: 1.3 }
  const pushes = await measureInterleaved(`pushing ${pushedRefs} refs`, protocols, terms, async (protocol, round) => {
    const name = `refs-${round}`
    await protocol.prepare(name)
    await git(source, ...protocol.options, 'push', '--quiet', protocol.pushUrl(name), 'refs/heads/main')
    if (protocol.pid !== null) await settledCpu(protocol.pid)
    return costOf(protocol, () => push(protocol, name, source))
  })
  return compare(`push of ${pushedRefs.toLocaleString('en')} refs${suffix}`, pushes, terms)
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
