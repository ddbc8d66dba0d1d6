/** Addresses that are limited together as one client. */
import { isIPv6 } from 'node:net'

/** The address itself for IPv4, the first 64 bits for IPv6: a client controls all addresses of such a network. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address
  const [before = '', after] = (address.split('%', 1)[0] as string).split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const zeros = after === undefined ? [] : Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0')
  const groups = [...head, ...zeros, ...tail].slice(0, 4).map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
  return `${groups.join(':')}::/64`
}
