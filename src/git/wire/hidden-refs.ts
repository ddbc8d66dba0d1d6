/**
 * Leaves the service's own refs out of what git advertises to those who push: nobody may push to them, there may be many, and
 * `git push --mirror` would try to delete them.
 */
import { pipeline, type Readable, Transform } from 'node:stream'
import { extraConfig } from '../process/extra-config.ts'
import { isServiceRef, serviceFolders } from '../refs/service-refs.ts'
import type { Repo } from '../repository/repository.ts'

/** Settings with which git itself leaves them out. It would refuse pushes to them in its own words, too. */
export const hidingServiceRefs = extraConfig(serviceFolders.map((name) => ['receive.hideRefs', `refs/${name}`]))

/** For readers who can't see merge requests: their refs are neither advertised nor given by name. */
export const hidingMergeRequests = extraConfig([['uploadpack.hideRefs', 'refs/merge-requests']])

/** Matches names that git itself, which completes names and knows where working trees keep theirs, takes for a ref of a merge request. */
const ofMergeRequests = /^(?:main-worktree\/|worktrees\/[^/]*\/)?(?:refs\/)?merge-requests(?:[/:]|$)/i

export function namesHidden({ showsMergeRequests }: Repo, name: string): boolean {
  return !showsMergeRequests && ofMergeRequests.test(name)
}

/**
 * The request of a fetch as git may read it: `deepen-not` tells where histories part, of hidden refs too, unless it names one that
 * can't exist.
 */
export function requestShown({ showsMergeRequests }: Repo, input: Readable): Readable {
  if (showsMergeRequests) return input
  let carried: Buffer = Buffer.alloc(0)
  const shown = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const bytes = Buffer.concat([carried, chunk])
      const end = hideIn(bytes)
      carried = bytes.subarray(end)
      done(null, bytes.subarray(0, end))
    },
    flush: (done) => done(null, carried),
  })
  // The reader learns of failures as it would from the input itself; who only pipes it has no use for them.
  shown.on('error', () => {})
  return pipeline(input, shown, () => {})
}

/** Changes whole packets where they are, and gives where the last one ends. What isn't made of packets git refuses by itself. */
function hideIn(bytes: Buffer): number {
  let at = 0
  while (at + 4 <= bytes.length) {
    const digits = bytes.toString('latin1', at, at + 4)
    if (!/^[0-9a-f]{4}$/i.test(digits)) return bytes.length
    const end = at + Math.max(4, Number.parseInt(digits, 16))
    if (end > bytes.length) break
    const line = bytes.toString('latin1', at + 4, end)
    if (line.startsWith(notFrom) && ofMergeRequests.test(line.slice(notFrom.length).trimEnd()))
      bytes.fill('-', at + 4 + notFrom.length, end)
    at = end
  }
  return at
}

const notFrom = 'deepen-not '

const zeros = '0'.repeat(40)

/** Filters the packets of an advertisement (protocol v0). The first that goes on has the capabilities. */
export function advertisedRefs(): (packet: Buffer) => Buffer[] {
  let carried: Buffer | null = null
  return (packet) => {
    if (packet.length === 4) return carried ? [packetOf(`${zeros} capabilities^{}`, carried), packet] : [packet]
    const end = packet.indexOf(0)
    const head = packet.toString('latin1', 4, end < 0 ? packet.length : end).trimEnd()
    const capabilities = end < 0 ? null : packet.subarray(end)
    if (isServiceRef(head.slice(head.indexOf(' ') + 1))) {
      carried ??= capabilities
      return []
    }
    if (!carried) return [packet]
    const first = packetOf(head, carried)
    carried = null
    return [first]
  }
}

/** @param capabilities from the NUL on */
function packetOf(head: string, capabilities: Buffer): Buffer {
  const length = 4 + head.length + capabilities.length
  return Buffer.concat([Buffer.from(length.toString(16).padStart(4, '0')), Buffer.from(head, 'latin1'), capabilities])
}
