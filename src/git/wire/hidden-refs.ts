/**
 * Hides the service's own refs from what git advertises to pushing clients: nobody may push to them, there may be many, and `git push
 * --mirror` would try to delete them.
 */
import { pipeline, type Readable, Transform } from 'node:stream'
import { extraConfig } from '../process/extra-config.ts'
import { isServiceRef, serviceFolders } from '../refs/service-refs.ts'
import type { Repo } from '../repository/repository.ts'

/** Settings by which git itself hides the refs. Git would also refuse pushes to them, with a message of its own. */
export const hidingServiceRefs = extraConfig(serviceFolders.map((name) => ['receive.hideRefs', `refs/${name}`]))

/** For readers who can't see merge requests: their refs are neither advertised nor accepted by name. */
export const hidingMergeRequests = extraConfig([['uploadpack.hideRefs', 'refs/merge-requests']])

/** Matches all names that git resolves to a ref of a merge request, including abbreviations and names of worktrees. */
const ofMergeRequests = /^(?:main-worktree\/|worktrees\/[^/]*\/)?(?:refs\/)?merge-requests(?:[/:]|$)/i

export function namesHidden({ showsMergeRequests }: Repo, name: string): boolean {
  return !showsMergeRequests && ofMergeRequests.test(name)
}

/**
 * Filters the request of a fetch: `deepen-not` would reveal where the history of a hidden ref branches off, so the name of such a ref is
 * replaced by one that can't exist.
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
  // The reader gets the error as it would from the input; a pipe has no use for it, and without a listener it would end the server.
  shown.on('error', () => {})
  return pipeline(input, shown, () => {})
}

/** Rewrites complete packets in place. Returns the end of the last one. Git rejects malformed packets by itself. */
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

/** Filters the packets of an advertisement (protocol v0). The first one that is kept carries the capabilities. */
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

/** @param capabilities including the NUL before them */
function packetOf(head: string, capabilities: Buffer): Buffer {
  const length = 4 + head.length + capabilities.length
  return Buffer.concat([Buffer.from(length.toString(16).padStart(4, '0')), Buffer.from(head, 'latin1'), capabilities])
}
