/**
 * Leaves the service's own refs out of what git advertises to those who push: nobody may push to them, there may be many, and
 * `git push --mirror` would try to delete them.
 */
import { extraConfig } from '../process/extra-config.ts'
import { isServiceRef, serviceFolders } from '../refs/service-refs.ts'

/** Settings with which git itself leaves them out. It would refuse pushes to them in its own words, too. */
export const hidingServiceRefs = extraConfig(serviceFolders.map((name) => ['receive.hideRefs', `refs/${name}`]))

const zeros = '0'.repeat(40)

/** What goes on to the client of each packet of an advertisement (protocol v0). The first that goes on has the capabilities. */
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
