/** Distinguishes public internet addresses from those of this machine and its network, in any notation. */
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The range of global unicast addresses. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
/** IPv4 addresses embedded in IPv6 (RFC 6052). */
const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Whether the text is an address rather than a name. IPv6 must be without brackets. */
export function isAddress(text: string): boolean {
  return ipaddr.isValid(text)
}

/** Whether this address, or the one embedded in it, is a public unicast address. */
export function isPublic(text: string): boolean {
  const address = standsFor(ipaddr.parse(text))
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicast)
}

/** Whether both notations mean the same address. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => ipaddr.parse(text.replace(/%.*$/, '')))
  return a !== undefined && b !== undefined && standsFor(a).toNormalizedString() === standsFor(b).toNormalizedString()
}

/** The address that a packet really reaches: IPv4 addresses can be embedded in IPv6 in three ways. */
function standsFor(address: Address): Address {
  if (address.kind() === 'ipv4') return address
  const six = address as ipaddr.IPv6
  if (six.isIPv4MappedAddress() || six.match(translated)) return new ipaddr.IPv4(six.toByteArray().slice(12))
  if (six.range() === '6to4') return new ipaddr.IPv4(six.toByteArray().slice(2, 6))
  return six
}
